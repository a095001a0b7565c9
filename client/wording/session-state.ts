/** The identity service calls only the first kind active; its list of active sessions has the second kind, too. */
export type SessionState = 'active' | 'person-inactive' | 'ended';

/**
 * A session of somebody inactive lets nobody in, but is not over: also one that was read before they became it.
 * @param now milliseconds since 1970
 */
export function sessionState(
  { active, ended, expires_at }: { active: unknown; ended?: boolean; expires_at: unknown },
  person: { state?: unknown } | null | undefined,
  now: number,
): SessionState {
  if (person?.state !== 'inactive') return active === true ? 'active' : 'ended';
  return ended === true || Date.parse(String(expires_at)) <= now ? 'ended' : 'person-inactive';
}

export const SESSION_STATES: Record<SessionState, { word: string; dot: 'good' | 'warning' | 'off' }> = {
  active: { word: 'Active', dot: 'good' },
  'person-inactive': { word: 'Person inactive', dot: 'warning' },
  ended: { word: 'Ended', dot: 'off' },
};

export const WHILE_INACTIVE =
  'While a person is inactive, their sessions let nobody in. Those that have not ended work again once the person is active.';
