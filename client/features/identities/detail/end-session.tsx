import { useQueryClient } from '@tanstack/react-query';
import type { Identity } from '../../../api/identities-record.ts';
import { identitySessionsQuery, revokeSession } from '../../../api/identities-sessions.ts';
import type { IdentitySession } from '../../../api/identity-session.ts';
import { displayName } from '../../../format/identity-name.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { SESSIONS_STAY_ENDED } from '../../../ui/dialog/way-back.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';

/** @param device for example “Chrome on macOS” */
export function EndSession(props: {
  identity: Identity;
  session: IdentitySession;
  device: string;
  onClose: () => void;
}) {
  const { identity, session, device, onClose } = props;
  const queryClient = useQueryClient();
  return (
    <ConfirmDialog
      title={`End the session of ${displayName(identity)} on ${device}?`}
      consequences={[
        'The person is signed out there and has to sign in again. Other sessions continue.',
        'Tokens that applications already have stay valid until they expire.',
        SESSIONS_STAY_ENDED,
      ]}
      action="End the session"
      onClose={onClose}
      act={async () => {
        await revokeSession(session.id);
        await queryClient.invalidateQueries({ queryKey: identitySessionsQuery(identity.id).queryKey });
        toast('The session is ended');
        onClose();
      }}
    />
  );
}
