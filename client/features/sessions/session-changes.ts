import type { QueryClient } from '@tanstack/react-query';
import { identitySessionsQuery } from '../../api/identities-sessions.ts';
import { SESSION_PAGES_KEY, sessionRecordQuery } from './session-queries.ts';

/** Invalidates every query that may contain these sessions or others of the same people. */
export async function sessionsChanged(
  queryClient: QueryClient,
  sessions: readonly { id: string; identityId: string | undefined }[],
): Promise<void> {
  const people = new Set(sessions.flatMap(({ identityId }) => identityId ?? []));
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: SESSION_PAGES_KEY }),
    ...sessions.map(({ id }) => queryClient.invalidateQueries({ queryKey: sessionRecordQuery(id).queryKey })),
    ...[...people].map((id) => queryClient.invalidateQueries({ queryKey: identitySessionsQuery(id).queryKey })),
  ]);
}
