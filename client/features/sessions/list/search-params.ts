import { type PagedSearch, type ParamsOf, pagedSearch } from '../../../resource/list/page-step.ts';
import { type Circle, sessionPageQuery } from '../session-queries.ts';

/** The list's state that a link carries. */
export interface SessionsSearch extends PagedSearch {
  /** Only sessions that are neither ended nor expired. */
  active?: 'true';
  /** A circle of the map by its middle, both or none. */
  lat?: string;
  lng?: string;
  /** The sessions without a known place, instead of a circle. */
  unknown?: 'true';
}

export function sessionsSearch(search: Record<string, unknown>): SessionsSearch {
  return {
    ...(search.active === 'true' ? { active: 'true' } : {}),
    ...circleSearch(circleIn(search)),
    ...pagedSearch(search),
  };
}

/** What stands in a link for a circle; undefined is everywhere. */
export function circleSearch(circle: Circle | undefined): Pick<SessionsSearch, 'lat' | 'lng' | 'unknown'> {
  if (circle === undefined) return {};
  return circle === 'unknown' ? { unknown: 'true' } : { lat: String(circle.lat), lng: String(circle.lng) };
}

export function circleIn({ lat, lng, unknown }: Record<string, unknown>): Circle | undefined {
  if (unknown === 'true') return 'unknown';
  const [north, east] = [degrees(lat, 90), degrees(lng, 180)];
  return north === undefined || east === undefined ? undefined : { lat: north, lng: east };
}

function degrees(value: unknown, limit: number): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,3}(?:\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
  return Math.abs(number) <= limit ? number : undefined;
}

export const sessionsQuery = ({ pageSize, token, active, ...place }: ParamsOf<SessionsSearch>) =>
  sessionPageQuery({ pageSize, token, active: active === 'true', circle: circleIn(place) });
