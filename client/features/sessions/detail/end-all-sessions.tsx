import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { revokeSessions } from '../../../api/identities-sessions.ts';
import { displayName } from '../../../format/identity-name.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { SESSIONS_STAY_ENDED } from '../../../ui/dialog/way-back.ts';
import { toast } from '../../../ui/feedback/toasts.tsx';
import { sessionsChanged } from '../session-changes.ts';
import { TOKENS_STAY } from '../session-outcomes.ts';
import { type SessionRecord, sessionRecordQuery } from '../session-queries.ts';

/** The identity service also deletes the sessions, so this page closes and the list is shown. */
export function EndAllSessions({ session, onClose }: { session: SessionRecord; onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { id, identity } = session;
  if (!identity) return null;
  const person = displayName(identity);
  return (
    <ConfirmDialog
      title={`End all sessions of ${person}?`}
      consequences={[
        'The person is signed out in every browser and has to sign in again.',
        'The identity service deletes these sessions, so this page closes.',
        TOKENS_STAY,
        SESSIONS_STAY_ENDED,
      ]}
      action="End all sessions"
      onClose={onClose}
      act={async () => {
        await revokeSessions(identity.id);
        await navigate({ to: '/sessions' });
        queryClient.removeQueries({ queryKey: sessionRecordQuery(id).queryKey });
        await sessionsChanged(queryClient, [{ id, identityId: identity.id }]);
        toast(`All sessions of ${person} are ended`);
      }}
    />
  );
}
