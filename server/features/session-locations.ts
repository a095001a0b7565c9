import type { Request, Response, Router } from 'express';
import { SEARCH_IDS_MAX } from '../../shared/identities.ts';
import { membersOf, text } from '../../shared/json.ts';
import {
  LOCATED_SESSIONS_MAX,
  type LocatedSession,
  type LocatedSessions,
  SESSION_DAYS_MAX,
  type SessionIds,
  type SessionLocations,
} from '../../shared/locations.ts';
import { searchesFor, searchTerms } from '../../shared/text.ts';
import type { Route } from '../app.ts';
import { mapConcurrently } from '../caches.ts';
import type { Context } from '../context.ts';
import { isBareAddress, type LookUp, placeLabel } from '../geo/geo-lookup.ts';
import { gridPoint, mapPoints } from '../geo/map-points.ts';
import { ApiError, badRequest } from '../http/errors.ts';
import { choiceParameter, namedParameter, pageSizeParameter, pageTokenParameter } from '../http/parameters.ts';
import { readRoutes } from '../http/response.ts';
import { canonicalAddress } from '../networks.ts';
import { type Cursor, cursorIn, tokenOf } from '../search-index/database.ts';
import { countFailed, firstFound, searchFailed } from '../search-index/search-index.ts';
import { listedSession, type SessionsQuery, sessionDevice } from '../search-index/sessions.ts';
import { sessionOf } from '../session/session-verifier.ts';
import { routeError } from '../upstream/failure.ts';

const DEVICE_MAX_CHARACTERS = 200;

/**
 * A session of the store with the location of its address.
 * @returns undefined if it is not a session
 */
function locatedSession(session: unknown, lookUp: LookUp, now: number): LocatedSession | undefined {
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

const DAY_MS = 86_400_000;
/** The parameters that the audit record of a search contains. */
const RECORDED = ['q', 'ip', 'lat', 'lng', 'unknown', 'place', 'device', 'days', 'active'];

/** @throws 400 unless `days` is absent or 1 to 365, and `active` absent, `true` or `false` */
function parseSessionFilter({ days, active }: Record<string, unknown>, now: number): SessionsQuery {
  const number = typeof days === 'string' && /^[1-9]\d{0,2}$/.test(days) ? Number(days) : Number.NaN;
  if (days !== undefined && !(number <= SESSION_DAYS_MAX))
    throw badRequest('days', `must be a whole number from 1 to ${SESSION_DAYS_MAX}`);
  const state = choiceParameter('active', namedParameter('active', active), ['true', 'false']);
  return {
    since: days === undefined ? undefined : now - number * DAY_MS,
    activeAt: state === 'true' ? now : undefined,
    endedAt: state === 'false' ? now : undefined,
  };
}

/**
 * Parses the query of `GET /api/security/sessions`: a circle by its centre (`lat` and `lng`) or `unknown=true`, words
 * of a location, a device or an identity, an address, and the filter. An empty text counts as absent.
 * @returns the queries of which the first that finds something counts; `searchFilter` is the search for identities in
 * canonical form, for the audit record
 * @throws 400 that names the parameter
 */
function parseSessionQuery(
  query: Record<string, unknown>,
  now: number,
): { sessions: SessionsQuery[]; searchFilter: string | undefined } {
  const words = (name: string): readonly string[] | undefined => {
    const text = namedParameter(name, query[name]);
    return text === undefined ? undefined : searchTerms(text);
  };
  const ip = namedParameter('ip', query['ip']);
  if (ip !== undefined && !isBareAddress(ip))
    throw badRequest('ip', 'must be an IPv4 or IPv6 address without port, brackets and zone');
  const address = ip && canonicalAddress(ip);
  const recorded = RECORDED.flatMap((name): [string, string][] => {
    const value = name === 'ip' ? address : query[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  const typed = namedParameter('q', query['q']);
  const circle = parseCircle(query);
  const filter = { ...parseSessionFilter(query, now), circle, place: words('place'), device: words('device'), address };
  return {
    sessions: searchesFor(typed).map(({ words: identity }) => ({ ...filter, identity })),
    searchFilter: typed === undefined && ip === undefined ? undefined : `sessions:${new URLSearchParams(recorded)}`,
  };
}

/** @throws 400 `invalid_page_size` or `invalid_page_token` */
function parseSessionPage(query: Record<string, unknown>): { size: number; after: Cursor | undefined } {
  const size = query['page_size'] === undefined ? LOCATED_SESSIONS_MAX : pageSizeParameter(query['page_size']);
  const token = pageTokenParameter(query['page_token']);
  const after = token === undefined ? undefined : cursorIn(token);
  if (token !== undefined && typeof after?.value !== 'number') throw new ApiError('invalid_page_token');
  return { size, after };
}

/** @throws 400 for a circle and `unknown` together, or half a circle */
function parseCircle({ lat, lng, unknown }: Record<string, unknown>): SessionsQuery['circle'] {
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

/** While nothing has been read, a search is not supported; without one, the store's error is returned. */
const failed =
  (queries: readonly SessionsQuery[]) =>
  (error: unknown): never => {
    const hasWords = queries.some(({ place, device, identity, address }) => place ?? device ?? identity ?? address);
    throw (hasWords ? searchFailed : countFailed)(error, 'sessions');
  };

/** `GET /api/security/sessions`: finds sessions in the index and reads each of them from the store. */
function locatedSessionsRouter({ index, identities: store, geo, audit, clock: { now } }: Context): Router {
  /** Records a search for identities by their sessions or of sessions by an address, unless nothing can be searched. */
  async function parseAndRecord(req: Request, res: Response): Promise<SessionsQuery[]> {
    const { sessions, searchFilter } = parseSessionQuery(req.query, now());
    if (searchFilter !== undefined) {
      await index.ready().catch(failed(sessions));
      await audit.record({ action: 'identity_search', adminId: sessionOf(res).identityId, searchFilter });
    }
    return sessions;
  }

  return readRoutes({
    '/': async (req, res) => {
      const { size, after } = parseSessionPage(req.query);
      const queries = await parseAndRecord(req, res);
      const { value, complete, asOf } = await firstFound(queries, (query) =>
        index.searchSessions(sessionOf(res).sessionId, query, size, after),
      ).catch(failed(queries));
      const { ids, next, total } = value;
      const lookUp = await geo.open();
      // Kratos cannot return several sessions in one request.
      const found = await mapConcurrently(ids, async (id) =>
        locatedSession(await store.session(id), lookUp, now()),
      ).catch((error) => Promise.reject(routeError(error)));
      const gone = ids.filter((_, index) => found[index] === undefined);
      if (gone.length > 0) index.removed('sessions', gone);
      res.json({
        sessions: found.filter((session) => session !== undefined),
        next_page_token: next === undefined ? null : tokenOf(next),
        has_more: next !== undefined,
        total: total - gone.length,
        truncated: !complete,
        as_of: new Date(asOf).toISOString(),
      } satisfies LocatedSessions);
    },
    '/ids': async (req, res) => {
      const queries = await parseAndRecord(req, res);
      const { value, complete, asOf } = await firstFound(queries, (query) =>
        index.sessionIds(sessionOf(res).sessionId, query, SEARCH_IDS_MAX + 1),
      ).catch(failed(queries));
      if (value.length > SEARCH_IDS_MAX)
        throw new ApiError('bad_request', {
          message: `More than ${SEARCH_IDS_MAX.toLocaleString('en')} sessions match. Narrow the search.`,
        });
      res.json({ ids: value, truncated: !complete, as_of: new Date(asOf).toISOString() } satisfies SessionIds);
    },
  });
}

/** Times are rounded down to multiples of this, so that responses can be cached. */
const ROUND_MS = 10_000;

/** `GET /api/session-locations`: circles on the map, without addresses or identities. */
function sessionLocationsRouter({ index, clock: { now } }: Context): Router {
  return readRoutes({
    '/': async (req, res) => {
      const query = parseSessionFilter(req.query, Math.floor(now() / ROUND_MS) * ROUND_MS);
      const { value, complete, asOf } = await index.countPlaces(sessionOf(res).sessionId, query).catch((error) => {
        throw countFailed(error, 'sessions');
      });
      const count = (places: typeof value): number => places.reduce((sum, place) => sum + place.count, 0);
      res.json({
        points: mapPoints(value.flatMap(({ place, count }) => (place === undefined ? [] : [[place, count] as const]))),
        unknown: count(value.filter(({ place }) => place === undefined)),
        sessions: count(value),
        truncated: !complete,
        as_of: new Date(asOf).toISOString(),
      } satisfies SessionLocations);
    },
  });
}

export const sessionLocationsRoutes = (context: Context): Route[] => [
  ['/api/session-locations', 'session-locations.read', sessionLocationsRouter(context)],
  ['/api/security/sessions', 'sessions.read', locatedSessionsRouter(context)],
];
