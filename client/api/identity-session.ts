import { isObject } from '../../shared/json.ts';
import { request } from './request.ts';

/** A session of an identity, with the devices it was seen from. */
export interface IdentitySession {
  id: string;
  active: boolean;
  /** It has really ended. The service also reports a session as inactive merely because its identity is inactive. */
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
 * Marks ended sessions. The service reports every session of an inactive identity as inactive, so which ones have
 * really ended must be read from a place where it ignores the identity's state.
 * @param path returns the same sessions judged only by what is stored of them, or only those that have ended
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
