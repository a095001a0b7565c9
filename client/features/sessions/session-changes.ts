import type { QueryClient } from '@tanstack/react-query';
import { identitySessionsQuery } from '../../api/identities-sessions.ts';
import { SESSION_PAGES_KEY, sessionRecordQuery } from './session-queries.ts';

const [RECORD] = sessionRecordQuery('').queryKey;
const [OF_PERSON] = identitySessionsQuery('').queryKey;

/**
 * Invalidates every query that may contain these sessions or others of the same people, in one pass: they may be
 * thousands. Whose session it is may be unknown.
 */
export async function sessionsChanged(
  queryClient: QueryClient,
  sessions: readonly { id: string; identityId: string | undefined }[],
): Promise<void> {
  const ids = new Set(sessions.map(({ id }) => id));
  const people = new Set(sessions.map(({ identityId }) => identityId));
  const isAnybodys = people.has(undefined);
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: SESSION_PAGES_KEY }),
    queryClient.invalidateQueries({
      predicate: ({ queryKey: [kind, id] }) =>
        (kind === RECORD && ids.has(String(id))) || (kind === OF_PERSON && (isAnybodys || people.has(String(id)))),
    }),
  ]);
}
