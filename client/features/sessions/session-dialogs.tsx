import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { formatDevice } from '../../../shared/format-device.ts';
import { send } from '../../api/request.ts';
import { type IdentitySession, identitySessionsQuery, revokeSession, revokeSessions } from '../../api/sessions.ts';
import { shortName } from '../../lib/identity-name.ts';
import { ConfirmDialog, SESSIONS_STAY_ENDED, TOKENS_STAY } from '../../ui/confirm-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { readSession, SESSION_PAGES_KEY, sessionPath, sessionRecordQuery } from './session-queries.ts';

export function EndSession({ session, onClose }: { session: IdentitySession; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { id, identity } = session;
  const what = identity ? `the session of ${shortName(identity)}` : 'this session';
  return (
    <ConfirmDialog
      title={`End ${what} (${formatDevice(session.devices?.[0]?.user_agent)})?`}
      consequence="The person is signed out on this device and has to sign in again there."
      details={['Other sessions continue.', TOKENS_STAY, SESSIONS_STAY_ENDED]}
      action="End session"
      onClose={onClose}
      act={async (reason) => {
        await revokeSession(id, reason);
        await sessionsChanged(queryClient, [{ id, identityId: identity?.id }]);
        toast(`Ended ${what}`);
        onClose();
      }}
    />
  );
}

export function EndAllSessions({ session, onClose }: { session: IdentitySession; onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { id, identity } = session;
  if (!identity) return null;
  const name = shortName(identity);
  return (
    <ConfirmDialog
      title={`End all sessions of ${name}?`}
      consequence="The person is signed out in every browser and has to sign in again."
      details={['The identity service deletes these sessions, so this page closes.', TOKENS_STAY, SESSIONS_STAY_ENDED]}
      action="End all sessions"
      onClose={onClose}
      act={async (reason) => {
        await revokeSessions(identity.id, reason);
        await navigate({ to: '/sessions' });
        queryClient.removeQueries({ queryKey: sessionRecordQuery(id).queryKey });
        await sessionsChanged(queryClient, [{ id, identityId: identity.id }]);
        toast(`Ended all sessions of ${name}`);
      }}
    />
  );
}

const [RECORD] = sessionRecordQuery('').queryKey;
const [OF_IDENTITY] = identitySessionsQuery('').queryKey;

/**
 * Invalidates every query that may contain these sessions or others of the same identities. In one pass, because there
 * may be thousands.
 * @param sessions without an identity id if the owner is unknown
 */
export async function sessionsChanged(
  queryClient: QueryClient,
  sessions: readonly { id: string; identityId: string | undefined }[],
): Promise<void> {
  const ids = new Set(sessions.map(({ id }) => id));
  const identityIds = new Set(sessions.map(({ identityId }) => identityId));
  const anybody = identityIds.has(undefined);
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: SESSION_PAGES_KEY }),
    queryClient.invalidateQueries({
      predicate: ({ queryKey: [kind, id] }) =>
        (kind === RECORD && ids.has(String(id))) || (kind === OF_IDENTITY && (anybody || identityIds.has(String(id)))),
    }),
  ]);
}

/**
 * The identity service reports success even if it is too early to extend the session: only the expiry times show the
 * result.
 * @returns why the session was not extended; undefined if it now ends later
 */
export async function extendSession(id: string): Promise<string | undefined> {
  const { active, expires_at: before } = await readSession(id);
  if (!active) return 'It is no longer active, so it cannot be extended.';
  await send(`${sessionPath(id)}/extend`, { method: 'PATCH' });
  const { expires_at: after } = await readSession(id);
  const gained = Date.parse(after) - Date.parse(before);
  if (gained > 0) return undefined;
  return gained < 0
    ? 'It now ends earlier: the identity service’s configured lifespan is shorter than the time that was left.'
    : 'Not extended. The identity service extends a session only within a set time before it ends (session.earliest_possible_extend).';
}
