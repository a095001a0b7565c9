import { type PagedSearch, type ParamsOf, pagedSearch } from '../../../resource/list/page-step.ts';
import { type PlaceFilter, sessionPageQuery } from '../session-queries.ts';

/** Search parameters of the list. */
export interface SessionsSearch extends PagedSearch {
  /** Only sessions that are neither ended nor expired. */
  active?: 'true';
  /** A place on the map; both or neither. */
  lat?: string;
  lng?: string;
  /** Sessions without a known place; not with `lat` and `lng`. */
  unknown?: 'true';
}

export function sessionsSearch(search: Record<string, unknown>): SessionsSearch {
  return {
    ...(search.active === 'true' ? { active: 'true' } : {}),
    ...pointSearch(pointIn(search)),
    ...pagedSearch(search),
  };
}

/** @param point undefined for everywhere */
export function pointSearch(point: PlaceFilter | undefined): Pick<SessionsSearch, 'lat' | 'lng' | 'unknown'> {
  if (point === undefined) return {};
  return point === 'unknown' ? { unknown: 'true' } : { lat: String(point.lat), lng: String(point.lng) };
}

export function pointIn({ lat, lng, unknown }: Record<string, unknown>): PlaceFilter | undefined {
  if (unknown === 'true') return 'unknown';
  const [north, east] = [degrees(lat, 90), degrees(lng, 180)];
  return north === undefined || east === undefined ? undefined : { lat: north, lng: east };
}

function degrees(value: unknown, limit: number): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,3}(?:\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
  return Math.abs(number) <= limit ? number : undefined;
}

export const sessionsQuery = ({ pageSize, token, active, ...place }: ParamsOf<SessionsSearch>) =>
  sessionPageQuery({ pageSize, token, active: active === 'true', point: pointIn(place) });
