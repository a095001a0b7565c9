import { LOCATED_SESSIONS_MAX, SESSION_DAYS_MAX } from '../../../shared/session-locations.ts';
import { gridPoint } from '../../geo/map-points.ts';
import { ApiError, badRequest } from '../../http/api-error.ts';
import { pageSizeParameter, pageTokenParameter } from '../../http/page-parameters.ts';
import type { AskedSessions } from '../../identity-index/index-commands.ts';
import { placeIn } from '../../identity-index/page-token.ts';
import type { Place } from '../../identity-index/question.ts';
import { wordsParameter } from '../../identity-index/words-parameter.ts';

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
