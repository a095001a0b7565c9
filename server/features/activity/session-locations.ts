import { type Request, type Response, Router } from 'express';
import { SEARCH_IDS_MAX } from '../../../shared/identities.ts';
import { membersOf, text } from '../../../shared/json.ts';
import {
  LOCATED_SESSIONS_MAX,
  type LocatedSession,
  type LocatedSessions,
  SESSION_DAYS_MAX,
  type SessionIds,
  type SessionLocations,
} from '../../../shared/locations.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import { type GeoLookup, type LookUp, placeLabel } from '../../geo/geo-lookup.ts';
import { gridPoint, mapPoints } from '../../geo/map-points.ts';
import { ApiError, badRequest, methodNotAllowed } from '../../http/errors.ts';
import { pageSizeParameter, pageTokenParameter, wordsParameter } from '../../http/parameters.ts';
import type { AskedSessions } from '../../search-index/commands.ts';
import { listedSession, sessionDevice } from '../../search-index/entries.ts';
import { type Place, placeIn, tokenOf } from '../../search-index/full-text.ts';
import { countFailed, type IdentityIndex, searchFailed } from '../../search-index/index.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import { questionFailed } from '../../upstream/failure.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';

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

/** Which sessions are asked for, at any time. */
export interface SessionFilter {
  /** Signed in to within this many days. */
  days: number | undefined;
  /** Neither ended nor expired. */
  active: boolean;
}

/** A validated question for the sessions behind a circle of the map, or otherwise narrowed. */
export interface SessionQuery {
  filter: SessionFilter;
  /** The question in canonical form if it finds people, for the audit record. */
  searchFilter: string | undefined;
  narrowed: Pick<AskedSessions, 'circle' | 'place' | 'device' | 'person'>;
}

const DAY_MS = 86_400_000;
/** Whatever else an address holds is not part of the question. */
const RECORDED = ['q', 'lat', 'lng', 'unknown', 'place', 'device', 'days', 'active'];

/** @throws 400 unless `days` is absent or 1 to 365, and `active` absent or `true` */
export function parseSessionFilter({ days, active }: Record<string, unknown>): SessionFilter {
  const number = typeof days === 'string' && /^[1-9]\d{0,2}$/.test(days) ? Number(days) : Number.NaN;
  if (days !== undefined && !(number <= SESSION_DAYS_MAX))
    throw badRequest('days', `must be a whole number from 1 to ${SESSION_DAYS_MAX}`);
  if (active !== undefined && active !== 'true') throw badRequest('active', 'must be true if given');
  return { days: days === undefined ? undefined : number, active: active === 'true' };
}

/** @param now milliseconds since the epoch */
export const questionAt = ({ days, active }: SessionFilter, now: number): AskedSessions => ({
  since: days === undefined ? undefined : now - days * DAY_MS,
  activeAt: active ? now : undefined,
});

/**
 * `GET /api/security/sessions`: a circle by its centre (`lat` and `lng`) or `unknown=true`, a part of a place's name, of
 * a device, of a person's texts, and the filter. An empty text counts as absent.
 * @throws 400 that names the parameter
 */
export function parseSessionQuery(query: Record<string, unknown>): SessionQuery {
  const words = (name: string): string | undefined => wordsParameter(name, query[name]);
  const asked = RECORDED.flatMap((name): [string, string][] => {
    const value = query[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  const person = words('q');
  return {
    filter: parseSessionFilter(query),
    searchFilter: person === undefined ? undefined : `sessions:${new URLSearchParams(asked)}`,
    narrowed: { circle: parseCircle(query), place: words('place'), device: words('device'), person },
  };
}

/** @throws 400, `invalid_page_size` or `invalid_page_token` */
export const parseSessionPage = (query: Record<string, unknown>): { size: number; after: Place | undefined } => ({
  size: query['page_size'] === undefined ? LOCATED_SESSIONS_MAX : pageSizeParameter(query['page_size']),
  after: cursorOf(pageTokenParameter(query['page_token'])),
});

function cursorOf(token: string | undefined): Place | undefined {
  if (token === undefined) return undefined;
  const place = placeIn(token);
  if (typeof place?.value !== 'number') throw new ApiError('invalid_page_token');
  return place;
}

/** @throws 400 for a circle and `unknown` together, or half a circle */
function parseCircle({ lat, lng, unknown }: Record<string, unknown>): AskedSessions['circle'] {
  if (unknown !== undefined) {
    if (unknown !== 'true' || lat !== undefined || lng !== undefined)
      throw badRequest('unknown', 'must be true if given, without lat and lng');
    return 'unknown';
  }
  if (lat === undefined && lng === undefined) return undefined;
  return gridPoint(degrees('lat', lat, 90), degrees('lng', lng, 180));
}

function degrees(field: string, value: unknown, limit: number): number {
  const number = typeof value === 'string' && /^-?\d{1,3}(?:\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN;
  if (!(Math.abs(number) <= limit)) throw badRequest(field, `must be a number from -${limit} to ${limit}`);
  return number;
}

/** The store has no question for some sessions at once. */
const CALLS_AT_ONCE = 8;

/** Where nothing has been read yet, words cannot be sought; a list without them fails as the store does. */
const failed =
  ({ place, device, person }: AskedSessions) =>
  (error: unknown): never => {
    const words = [place, device, person].some((text) => text !== undefined);
    throw words ? searchFailed(error, 'sessions') : countFailed(error, 'sessions');
  };

/** `GET /api/security/sessions`: found by the index, each of them the store's own of this moment. */
export function locatedSessionsRouter(options: {
  index: IdentityIndex;
  store: IdentityStore;
  geo: GeoLookup;
  audit: AuditTrail;
  /** Milliseconds since the epoch. */
  now: () => number;
}): Router {
  const { index, store, geo, audit, now } = options;
  /** Whoever seeks people by their sessions leaves a record as for any other search. */
  async function asked(req: Request, res: Response): Promise<AskedSessions> {
    const { filter, narrowed, searchFilter } = parseSessionQuery(req.query);
    const question = { ...questionAt(filter, now()), ...narrowed };
    if (searchFilter !== undefined) {
      // What finds nobody is not recorded.
      await index.ready().catch(failed(question));
      await audit.record({ action: 'identity_search', adminId: sessionOf(res).identityId, searchFilter });
    }
    return question;
  }

  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const { size, after } = parseSessionPage(req.query);
    const question = await asked(req, res);
    const { value, complete, asOf } = await index
      .sessions(sessionOf(res).sessionId, question, size, after)
      .catch(failed(question));
    const { ids, next, total } = value;
    const lookUp = await geo.open();
    const sessions: LocatedSession[] = [];
    const gone: string[] = [];
    for (let from = 0; from < ids.length; from += CALLS_AT_ONCE) {
      const some = ids.slice(from, from + CALLS_AT_ONCE);
      const stored = await Promise.all(some.map(store.session)).catch((error) => {
        throw questionFailed(error);
      });
      for (const [at, session] of stored.entries()) {
        const row = session === undefined ? undefined : locatedSession(session, lookUp, now());
        if (row !== undefined) sessions.push(row);
        else gone.push(...some.slice(at, at + 1));
      }
    }
    if (gone.length > 0) index.removed('sessions', gone);
    const answer: LocatedSessions = {
      sessions,
      next_page_token: next === undefined ? null : tokenOf(next),
      has_more: next !== undefined,
      total: total - gone.length,
      truncated: !complete,
      as_of: new Date(asOf).toISOString(),
    };
    res.json(answer);
  });
  router.get('/ids', async (req, res) => {
    const question = await asked(req, res);
    const { value, complete, asOf } = await index
      .sessionIds(sessionOf(res).sessionId, question, SEARCH_IDS_MAX + 1)
      .catch(failed(question));
    if (value.length > SEARCH_IDS_MAX)
      throw new ApiError('bad_request', {
        message: `More than ${SEARCH_IDS_MAX.toLocaleString('en')} sessions match. Narrow the question.`,
      });
    const answer: SessionIds = { ids: value, truncated: !complete, as_of: new Date(asOf).toISOString() };
    res.json(answer);
  });
  router.all(['/', '/ids'], methodNotAllowed('GET, HEAD'));
  return router;
}

/** Whoever asks for the same within this time gets the same answer. */
const SAME_MS = 10_000;

/** `GET /api/session-locations`: circles on the map, without addresses and identities. */
export function sessionLocationsRouter(index: IdentityIndex, now: () => number): Router {
  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const question = questionAt(parseSessionFilter(req.query), Math.floor(now() / SAME_MS) * SAME_MS);
    const { value, complete, asOf } = await index.places(sessionOf(res).sessionId, question).catch((error) => {
      throw countFailed(error, 'sessions');
    });
    const count = (some: typeof value): number => some.reduce((sum, place) => sum + place.count, 0);
    const answer: SessionLocations = {
      points: mapPoints(value.flatMap(({ place, count }) => (place === undefined ? [] : [[place, count] as const]))),
      unknown: count(value.filter(({ place }) => place === undefined)),
      sessions: count(value),
      truncated: !complete,
      as_of: new Date(asOf).toISOString(),
    };
    res.json(answer);
  });
  router.all('/', methodNotAllowed('GET, HEAD'));
  return router;
}
