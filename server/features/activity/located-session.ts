import { membersOf, text } from '../../../shared/json.ts';
import type { LocatedSession } from '../../../shared/session-locations.ts';
import type { LookUp } from '../../geo/geo-lookup.ts';
import { placeLabel } from '../../geo/place.ts';
import { listedSession, sessionDevice } from '../../identity-index/session-entry.ts';

const DEVICE_MAX_CHARACTERS = 200;

/**
 * A session as the store has it, with the place that it was started from.
 * @param now milliseconds since the epoch
 * @returns undefined for what is not a session
 */
export function locatedSession(session: unknown, lookUp: LookUp, now: number): LocatedSession | undefined {
  const entry = listedSession(session);
  if (entry === undefined) return undefined;
  const { id, identityId, active, authenticatedAt, expiresAt, address } = entry;
  const place = address === '' ? undefined : lookUp(address);
  const device = sessionDevice(membersOf(session));
  const timeOrNull = (time: number): string | null => (time === 0 ? null : new Date(time).toISOString());
  return {
    id,
    identity_id: identityId || null,
    active: active && !(expiresAt !== 0 && expiresAt <= now),
    authenticated_at: timeOrNull(authenticatedAt),
    expires_at: timeOrNull(expiresAt),
    ip: address || null,
    device: text(device['user_agent']).slice(0, DEVICE_MAX_CHARACTERS) || null,
    place: place === undefined ? null : placeLabel(place),
  };
}
