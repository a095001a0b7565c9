/** The identity service calls only the first kind active; its list of active sessions has the second kind, too. */
export type SessionState = 'active' | 'person-inactive' | 'ended';

/**
 * A session of somebody inactive lets nobody in, but is not over: also one that was read before they became it.
 * @param now milliseconds since 1970
 */
export function sessionState(
  { active, ended, expires_at }: { active: unknown; ended?: boolean; expires_at: unknown },
  person: { state?: unknown } | null | undefined,
  now = Date.now(),
): SessionState {
  if (person?.state !== 'inactive') return active === true ? 'active' : 'ended';
  return ended === true || Date.parse(String(expires_at)) <= now ? 'ended' : 'person-inactive';
}
