import { useQueryClient } from '@tanstack/react-query';
import type { Identity } from '../../../api/identities-record.ts';
import { identitySessionsQuery, revokeSessions } from '../../../api/identities-sessions.ts';
import { displayName } from '../../../format/identity-name.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { SESSIONS_STAY_ENDED } from '../../../ui/dialog/way-back.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';

export function RevokeSessions({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const queryClient = useQueryClient();
  return (
    <ConfirmDialog
      title={`End all sessions of ${displayName(identity)}?`}
      consequences={[
        'The person is signed out of the identity service in every browser and has to sign in again there.',
        'Tokens that applications already have stay valid until they expire. To end them as well, sign the person out everywhere.',
        SESSIONS_STAY_ENDED,
      ]}
      action="End all sessions"
      onClose={onClose}
      act={async () => {
        await revokeSessions(identity.id);
        await queryClient.invalidateQueries({ queryKey: identitySessionsQuery(identity.id).queryKey });
        toast('All sessions are ended');
        onClose();
      }}
    />
  );
}
