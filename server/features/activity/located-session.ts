import { membersOf, text } from '../../../shared/json.ts';
import type { LocatedSession } from '../../../shared/session-locations.ts';
import { addressIn } from '../../geo/addresses.ts';
import type { LookUp } from '../../geo/geo-lookup.ts';
import { sessionDevice, sessionEntry } from '../../identity-index/session-entry.ts';

const DEVICE_MAX_CHARACTERS = 200;

/**
 * A session as the store has it, with the place that it was started from.
 * @param now milliseconds since the epoch
 * @returns undefined for what is not a session
 */
export function locatedSession(session: unknown, lookUp: LookUp, now: number): LocatedSession | undefined {
  const entry = sessionEntry(session, lookUp);
  if (entry === undefined) return undefined;
  const { id, identityId, active, authenticatedAt, expiresAt, place } = entry;
  const device = sessionDevice(membersOf(session));
  const timeOrNull = (time: number): string | null => (time === 0 ? null : new Date(time).toISOString());
  return {
    id,
    identity_id: identityId || null,
    active: active && !(expiresAt !== 0 && expiresAt <= now),
    authenticated_at: timeOrNull(authenticatedAt),
    expires_at: timeOrNull(expiresAt),
    ip: addressIn(text(device['ip_address'])) ?? null,
    device: text(device['user_agent']).slice(0, DEVICE_MAX_CHARACTERS) || null,
    place: place?.label ?? null,
  };
}
