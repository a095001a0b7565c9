import { membersOf } from '../../../shared/json.ts';
import { EXPANDED_SESSIONS_PAGE } from '../../../shared/session-locations.ts';
import { addressIn } from '../../geo/addresses.ts';
import type { GeoLookup, LookUp } from '../../geo/geo-lookup.ts';
import { type Place, placeLabel } from '../../geo/place.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { type CrawlOptions, crawl } from './crawl.ts';
import type { StaleWhileRevalidate } from './stale-while-revalidate.ts';
import { shortText, timeOf } from './upstream-fields.ts';

/** The fields kept of a session. Times are milliseconds since the epoch; undefined if the store does not say. */
export interface SessionRow {
  id: string;
  identityId: string | undefined;
  /** As reported by the store: not revoked, not expired at the time, and not of a deactivated identity. */
  active: boolean;
  issuedAt: number | undefined;
  authenticatedAt: number | undefined;
  expiresAt: number | undefined;
  /** Without port and zone. */
  ip: string | undefined;
  /** The start of the User-Agent. */
  device: string | undefined;
  place: Place | undefined;
}

export interface Sessions {
  /** Latest first. */
  rows: readonly SessionRow[];
  truncated: boolean;
  /** When the crawl began, in milliseconds since the epoch. */
  asOf: number;
}

const DEVICE_MAX_CHARACTERS = 200;

/** The latest 20,000 sessions of a store, with the locations they were started from. */
export const sessionCrawl = (options: CrawlOptions, geo: GeoLookup): StaleWhileRevalidate<Sessions> =>
  crawl(options, {
    path: '/admin/sessions',
    // Without `expand`, Kratos omits identity and address, and reports sessions of deactivated identities as active.
    query: { expand: ['identity', 'devices'] },
    most: { page: EXPANDED_SESSIONS_PAGE, items: 20_000 },
    fitted: true,
    freshMs: 60_000,
    usableMs: 15 * 60_000,
    async begin(asOf) {
      const rows: SessionRow[] = [];
      const toRow = rowReader(await geo.open());
      return {
        add: (session) => void rows.push(toRow(session)),
        result: (whole) => ({ rows: rows.slice(), truncated: !whole, asOf }),
      };
    },
  });

/** Reads the sessions of one crawl; repeated strings and places are stored once. */
function rowReader(lookUp: LookUp): (session: unknown) => SessionRow {
  const kept = keeper<string>((text) => text);
  const keptPlace = keeper<Place>((place) => `${placeLabel(place)} ${place.lat} ${place.lng}`);
  const places = new Map<string, Place | undefined>();
  function placeAt(address: string): Place | undefined {
    if (!places.has(address)) places.set(address, keptPlace(lookUp(address)));
    return places.get(address);
  }

  return (session) => {
    const fields = membersOf(session);
    const id = shortText(fields['id']);
    if (id === undefined) throw new UpstreamFailure('nonsense');
    // A session has one device per sign-in; the first with a location will do.
    const devices = Array.isArray(fields['devices']) ? fields['devices'].map(membersOf) : [];
    const device = devices.find((one) => shortText(one['ip_address'])) ?? devices[0] ?? {};
    const ip = kept(addressIn(shortText(device['ip_address']) ?? ''));
    const userAgent = device['user_agent'];
    return {
      id,
      identityId: kept(shortText(membersOf(fields['identity'])['id'])),
      active: fields['active'] === true,
      issuedAt: timeOf(fields['issued_at']),
      authenticatedAt: timeOf(fields['authenticated_at']),
      expiresAt: timeOf(fields['expires_at']),
      ip,
      device: kept(typeof userAgent === 'string' ? userAgent.slice(0, DEVICE_MAX_CHARACTERS) : undefined),
      place: ip === undefined ? undefined : placeAt(ip),
    };
  };
}

/** Returns the first of all values with the same key. */
function keeper<T>(keyOf: (value: T) => string): (value: T | undefined) => T | undefined {
  const values = new Map<string, T>();
  return (value) => {
    if (value === undefined) return undefined;
    const key = keyOf(value);
    const known = values.get(key);
    if (known === undefined) values.set(key, value);
    return known ?? value;
  };
}
