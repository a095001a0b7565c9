import { queryOptions } from '@tanstack/react-query';
import { EXPANDED_SESSIONS_PAGE } from '../../shared/session-locations.ts';
import { identityAdmin } from './identities-prefix.ts';
import { bodyOf, send } from './request.ts';
import { RequestError } from './request-error.ts';

/** A sign-in of an identity, with the devices it was seen from. */
export interface IdentitySession {
  id: string;
  active: boolean;
  authenticated_at: string;
  issued_at: string;
  expires_at: string;
  authenticator_assurance_level?: string;
  authentication_methods?: { method: string; provider?: string }[] | null;
  devices?: { id: string; ip_address?: string | null; user_agent?: string | null }[] | null;
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
      const answer = await send(`${sessionsOf(id)}?page_size=${EXPANDED_SESSIONS_PAGE}`, { signal });
      const sessions = await bodyOf<unknown>(answer);
      if (Array.isArray(sessions) && sessions.every((session) => typeof session?.id === 'string'))
        return {
          sessions: sessions as IdentitySession[],
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
