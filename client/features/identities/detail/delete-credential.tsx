import { useQueryClient } from '@tanstack/react-query';
import { deleteCredential, type Identity, identityQuery } from '../../../api/identities-record.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toast } from '../../../ui/toasts.tsx';
import { credentialName } from './credential-names.ts';

/** Whether a credential may go is the identity service's word: its reason is shown in the dialog. */
export function DeleteCredential(props: {
  identity: Identity;
  type: string;
  identifier: string | undefined;
  onClose: () => void;
}) {
  const { identity, type, identifier, onClose } = props;
  const queryClient = useQueryClient();
  const name = identifier === undefined ? credentialName(type) : `${credentialName(type)} ${identifier}`;
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      consequences={consequencesOf(type)}
      action="Delete"
      onClose={onClose}
      act={async () => {
        await deleteCredential(identity.id, type, identifier);
        await queryClient.invalidateQueries({ queryKey: identityQuery(identity.id).queryKey });
        toast(`${name} is deleted`);
        onClose();
      }}
    />
  );
}

function consequencesOf(type: string): string[] {
  const secondFactor = ['totp', 'lookup_secret', 'webauthn'].includes(type);
  return [
    secondFactor
      ? 'The person signs in without this second factor from then on, until they set it up again.'
      : 'The person can no longer sign in in this way.',
    'Sessions that exist go on; end them on the Sessions tab if the account may be in wrong hands.',
    'It cannot be brought back from here: the person has to set it up again.',
    'The identity service refuses to remove the last way in.',
  ];
}
