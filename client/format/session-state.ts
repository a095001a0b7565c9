/** The identity service calls only the first kind active, but its list of active sessions also includes the second. */
export type SessionState = 'active' | 'person-inactive' | 'ended';

/**
 * A session of an inactive identity admits nobody but is not over; this also holds for a session read before the
 * identity became inactive.
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
