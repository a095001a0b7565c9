import { infiniteQueryOptions } from '@tanstack/react-query';
import { timeOf } from '../../shared/json.ts';
import { EXPANDED_SESSIONS_PAGE } from '../../shared/locations.ts';
import type { CursorPage } from './cursor-page.ts';
import { type IdentitySession, tellingEnded } from './identity-session.ts';
import { bodyOf, send } from './request.ts';
import { RequestError, unreadableAnswer } from './request-error.ts';
import { identityAdmin } from './upstream-api.ts';

const sessionsOf = (id: string): string => identityAdmin(`/identities/${encodeURIComponent(id)}/sessions`);

/** Some of an identity's sessions, the one that was begun last first, and how many there are of them all. */
interface SessionsPage extends CursorPage<IdentitySession> {
  total: number;
}

/** An identity's sessions, a page at a time, the one that was begun last first. Which have ended is told of the first. */
export const identitySessionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['identity-sessions', id],
    queryFn: async ({ pageParam, signal }): Promise<SessionsPage> => {
      const page = await readSessionsPage(id, pageParam, signal);
      if (pageParam > 1) return page;
      return { ...page, rows: await tellingEnded(page.rows, `${pageOf(id, 1)}&active=false`, signal) };
    },
    initialPageParam: 1,
    getNextPageParam: ({ next }) => (next === undefined ? undefined : Number(next)),
    retry: false,
  });

/** By number: the identity service never links to the last page. It always expands. */
const pageOf = (id: string, page: number): string =>
  `${sessionsOf(id)}?per_page=${EXPANDED_SESSIONS_PAGE}&page=${page}`;

async function readSessionsPage(id: string, page: number, signal?: AbortSignal): Promise<SessionsPage> {
  const answer = await send(pageOf(id, page), { signal });
  const rows = await bodyOf<unknown>(answer);
  if (!Array.isArray(rows) || !rows.every((session) => typeof session?.id === 'string'))
    throw unreadableAnswer('identity service', 'a list of sessions');
  return {
    rows,
    // Only a page that is not full tells that it is the last.
    next: rows.length < EXPANDED_SESSIONS_PAGE ? undefined : String(page + 1),
    total: Math.max(Number(answer.headers.get('X-Total-Count')) || 0, rows.length),
  };
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
    const { rows, next } = await readSessionsPage(id, page);
    if (rows.some(({ authenticated_at }) => timeOf(authenticated_at) >= since)) return true;
    if (next === undefined) return false;
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
