import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { clientQuery, type OauthClient, patchClient } from '../../../api/oauth-client-record.ts';
import { RequestError } from '../../../api/request-error.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { clientName, isOwnClient, listMember } from '../client-members.ts';
import { newSecret } from '../new-secret.ts';
import { SecretDialog } from '../secret-dialog.tsx';
import { setSecretPatch } from '../secret-patch.ts';

/**
 * Sets a secret generated here, since the OAuth server generates none on updates. If its response is lost, the secret may
 * still be active: retries send the same one, and closing the dialog still shows it.
 */
export function RotateSecret({ client, onClose }: { client: OauthClient; onClose: () => void }) {
  const queryClient = useQueryClient();
  const made = useRef<string>(undefined);
  const [doubt, setDoubt] = useState<string>();
  const [shown, setShown] = useState<{ secret: string; unconfirmed: string | undefined }>();
  const id = client.client_id;
  const name = clientName(client);

  const rotate = async (): Promise<void> => {
    made.current ??= newSecret();
    const secret = made.current;
    try {
      await patchClient(id, setSecretPatch(secret));
    } catch (error) {
      if (!(error instanceof RequestError && error.status < 500)) setDoubt((error as Error).message);
      throw error;
    }
    setShown({ secret, unconfirmed: undefined });
    void queryClient.invalidateQueries({ queryKey: clientQuery(id).queryKey });
  };
  const giveUp = (): void => {
    if (doubt === undefined || made.current === undefined) onClose();
    else setShown({ secret: made.current, unconfirmed: doubt });
  };

  if (shown !== undefined)
    return <SecretDialog clientId={id} secret={shown.secret} unconfirmed={shown.unconfirmed} onStored={onClose} />;
  return (
    <ConfirmDialog
      title={`Rotate the secret of ${name}?`}
      consequences={[
        ...(isOwnClient(listMember(client, 'redirect_uris')) ? ['This is the dashboard’s own client.'] : []),
        'The old secret stops working at once; the two never work at the same time.',
        'Until the application has the new one, it gets no tokens: sign-ins, token refreshes and calls on its own behalf fail.',
        'Access tokens that it already has stay valid until they expire.',
        'The old secret does not come back: this cannot be undone.',
        'The new secret is shown once, in the next step.',
      ]}
      typed={[...new Set([name, id])].filter((one) => one.trim() !== '')}
      action="Rotate the secret"
      act={rotate}
      onClose={giveUp}
    />
  );
}
