import { Router } from 'express';
import { LOCATED_SESSIONS_MAX, type LocatedSession, type LocatedSessions } from '../../../shared/session-locations.ts';
import { gridPoint } from '../../geo/map-points.ts';
import { type Place, placeLabel } from '../../geo/place.ts';
import { badRequest } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { questionFailed } from '../../upstream/upstream-failure.ts';
import type { SessionRow, Sessions } from './session-crawl.ts';
import { fits, isActive, parseSessionFilter } from './session-filter.ts';
import type { StaleWhileRevalidate } from './stale-while-revalidate.ts';

/** `GET /api/security/sessions`: the sessions behind a circle of the map. */
export function locatedSessionsRouter(sessions: StaleWhileRevalidate<Sessions>, now: () => number): Router {
  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const isThere = parseCircle(req.query);
    const filter = parseSessionFilter(req.query);
    const { rows, truncated, asOf } = await sessions.get().catch((error) => {
      throw questionFailed(error);
    });
    const at = now();
    const found = rows.filter((row) => isThere(row) && fits(row, filter, at));
    const latest = found.sort((a, b) => (b.authenticatedAt ?? 0) - (a.authenticatedAt ?? 0));
    const answer: LocatedSessions = {
      sessions: latest.slice(0, LOCATED_SESSIONS_MAX).map((row) => located(row, at)),
      total: found.length,
      truncated,
      as_of: isoTime(asOf),
    };
    res.json(answer);
  });
  router.all('/', methodNotAllowed('GET, HEAD'));
  return router;
}

/**
 * A circle by its centre, or with `unknown=true` the sessions without a known location.
 * @throws 400 unless the query has exactly one of the two
 */
function parseCircle({ lat, lng, unknown }: Record<string, unknown>): (row: SessionRow) => boolean {
  if (unknown !== undefined) {
    if (unknown !== 'true' || lat !== undefined || lng !== undefined)
      throw badRequest('unknown', 'must be true if given, without lat and lng');
    return ({ place }) => place === undefined;
  }
  const circle = gridPoint(degrees('lat', lat, 90), degrees('lng', lng, 180));
  const isWithin = (place: Place): boolean => {
    const point = gridPoint(place.lat, place.lng);
    return point.lat === circle.lat && point.lng === circle.lng;
  };
  // Many sessions share a place, so results are memoized.
  const known = new Map<Place | undefined, boolean>([[undefined, false]]);
  return ({ place }) => {
    const within = known.get(place) ?? (place !== undefined && isWithin(place));
    known.set(place, within);
    return within;
  };
}

function degrees(field: string, value: unknown, limit: number): number {
  const number = typeof value === 'string' && /^-?\d{1,3}(?:\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN;
  if (!(Math.abs(number) <= limit)) throw badRequest(field, `must be a number from -${limit} to ${limit}`);
  return number;
}

const located = (row: SessionRow, now: number): LocatedSession => ({
  id: row.id,
  identity_id: row.identityId ?? null,
  active: isActive(row, now),
  authenticated_at: row.authenticatedAt === undefined ? null : isoTime(row.authenticatedAt),
  expires_at: row.expiresAt === undefined ? null : isoTime(row.expiresAt),
  ip: row.ip ?? null,
  device: row.device ?? null,
  place: row.place === undefined ? null : placeLabel(row.place),
});

const isoTime = (time: number): string => new Date(time).toISOString();
