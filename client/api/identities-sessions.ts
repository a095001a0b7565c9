import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { EXPANDED_SESSIONS_PAGE } from '../../shared/session-locations.ts';
import { timeOf } from '../../shared/time-of.ts';
import type { CursorPage } from './cursor-page.ts';
import { type IdentitySession, tellingEnded } from './identity-session.ts';
import { bodyOf, request, send } from './request.ts';
import { RequestError, unreadableAnswer } from './request-error.ts';
import { identityAdmin } from './upstream-api.ts';

const sessionsOf = (id: string): string => identityAdmin(`/identities/${encodeURIComponent(id)}/sessions`);

/**
 * The most recent sessions and the total. A single page: the identity service never links to the last page, and always
 * expands.
 */
export const identitySessionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity-sessions', id],
    queryFn: async ({ signal }) => {
      const path = `${sessionsOf(id)}?page_size=${EXPANDED_SESSIONS_PAGE}`;
      const answer = await send(path, { signal });
      const sessions = await bodyOf<unknown>(answer);
      if (Array.isArray(sessions) && sessions.every((session) => typeof session?.id === 'string'))
        return {
          sessions: await tellingEnded(sessions as IdentitySession[], `${path}&active=false`, signal),
          total: Math.max(Number(answer.headers.get('X-Total-Count')) || 0, sessions.length),
        };
      throw unreadableAnswer('identity service', 'a list of sessions');
    },
    retry: false,
  });

/** All sessions, a page at a time, the one that was begun last first. */
export const allSessionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['identity-sessions', id, 'all'],
    async queryFn({ pageParam, signal }): Promise<CursorPage<IdentitySession>> {
      const rows = await readSessionsPage(id, pageParam, signal);
      // The last page is linked nowhere: only a page that is not full tells.
      return { rows, next: rows.length < EXPANDED_SESSIONS_PAGE ? undefined : String(pageParam + 1) };
    },
    initialPageParam: 1,
    getNextPageParam: ({ next }) => (next === undefined ? undefined : Number(next)),
    retry: false,
  });

/** By number: the identity service never links to the last page. */
async function readSessionsPage(id: string, page: number, signal?: AbortSignal): Promise<IdentitySession[]> {
  const sessions = await request<unknown>(`${sessionsOf(id)}?per_page=${EXPANDED_SESSIONS_PAGE}&page=${page}`, {
    signal,
  });
  if (Array.isArray(sessions) && sessions.every((session) => typeof session?.id === 'string')) return sessions;
  throw unreadableAnswer('identity service', 'a list of sessions');
}

/** More sessions than anybody has. */
const PAGES_MAX = 40;

/**
 * Whether an identity has a session, ended or not, that was signed in to at a time or later. Reads as many pages as it
 * takes: a session that was signed in to again keeps its old place.
 * @param since milliseconds since the epoch; -Infinity for any session
 */
export async function hasSessionSince(id: string, since: number): Promise<boolean> {
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const sessions = await readSessionsPage(id, page);
    if (sessions.some(({ authenticated_at }) => timeOf(authenticated_at) >= since)) return true;
    if (sessions.length < EXPANDED_SESSIONS_PAGE) return false;
  }
  throw new Error('It has too many sessions to read them all.');
}

/** Ends every session of an identity; having none counts as success. @returns whether there was one */
export const revokeSessions = (id: string): Promise<boolean> => ended(sessionsOf(id));

export async function revokeSession(sessionId: string): Promise<void> {
  await ended(identityAdmin(`/sessions/${encodeURIComponent(sessionId)}`));
}

async function ended(path: string): Promise<boolean> {
  try {
    await send(path, { method: 'DELETE' });
    return true;
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return false;
    throw error;
  }
}
