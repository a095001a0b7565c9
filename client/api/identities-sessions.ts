import { queryOptions } from '@tanstack/react-query';
import { EXPANDED_SESSIONS_PAGE } from '../../shared/session-locations.ts';
import { isObject } from '../json-object.ts';
import { identityAdmin } from './identities-prefix.ts';
import { bodyOf, request, send } from './request.ts';
import { RequestError } from './request-error.ts';

/** A sign-in of an identity, with the devices it was seen from. */
export interface IdentitySession {
  id: string;
  active: boolean;
  /** It has, whatever becomes of its person: of sessions that the service calls inactive with an inactive person alone. */
  ended?: boolean;
  authenticated_at: string;
  issued_at: string;
  expires_at: string;
  authenticator_assurance_level?: string;
  authentication_methods?: { method: string; provider?: string }[] | null;
  devices?: { id: string; ip_address?: string | null; user_agent?: string | null }[] | null;
  identity?: { id: string; traits?: unknown; state?: string } | null;
}

const sessionsOf = (id: string): string => identityAdmin(`/identities/${encodeURIComponent(id)}/sessions`);

/**
 * The newest of them and how many there are. One page: the identity service links the last one nowhere, and always
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
      throw new RequestError({
        status: 200,
        code: 'unreadable_answer',
        message: 'The identity service answered with something that is not a list of sessions.',
      });
    },
    retry: false,
  });

/**
 * Sessions of somebody inactive are none of them active: which have ended shows where the service does not look at the
 * person.
 * @param path answers the same sessions by what is stored of them alone, or those of them that have ended
 */
export async function tellingEnded<T extends IdentitySession>(
  sessions: readonly T[],
  path: string,
  signal: AbortSignal | undefined,
): Promise<T[]> {
  if (!sessions.some(({ active, identity }) => !active && identity?.state === 'inactive')) return [...sessions];
  const stored = [await request<unknown>(path, { signal })].flat().filter(isObject);
  const ended = new Set(stored.filter(({ active }) => active === false).map(({ id }) => id));
  return sessions.map((session) => (ended.has(session.id) ? { ...session, ended: true } : session));
}

/** Ends every session of an identity. That there was none is success. @returns whether there was one */
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
