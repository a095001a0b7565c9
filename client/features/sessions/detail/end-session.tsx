import { useQueryClient } from '@tanstack/react-query';
import { revokeSession } from '../../../api/identities-sessions.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { SESSIONS_STAY_ENDED } from '../../../ui/dialog/way-back.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { sessionsChanged } from '../session-changes.ts';
import { TOKENS_STAY } from '../session-outcomes.ts';
import type { SessionRecord } from '../session-queries.ts';

export function EndSession({ session, onClose }: { session: SessionRecord; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { id, identity } = session;
  return (
    <ConfirmDialog
      title="End this session?"
      consequences={[
        'The person is signed out on this device and has to sign in again there.',
        TOKENS_STAY,
        SESSIONS_STAY_ENDED,
      ]}
      action="End the session"
      onClose={onClose}
      act={async () => {
        await revokeSession(id);
        await sessionsChanged(queryClient, [{ id, identityId: identity?.id }]);
        toast('The session is ended');
        onClose();
      }}
    />
  );
}
