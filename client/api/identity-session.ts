import { isObject } from '../../shared/json.ts';
import { request } from './request.ts';

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
