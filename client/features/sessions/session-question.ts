import { searchText } from '../../lib/search-text.ts';
import { type PagedSearch, type ParamsOf, pagedSearch } from '../../resource/list/page-step.ts';

/** Search parameters of the list. */
export interface SessionsSearch extends PagedSearch {
  /** Any part of a text of the person's. */
  q?: string;
  /** Any part of the device in words: “Chrome on macOS”. */
  device?: string;
  /** Only sessions that are neither ended nor expired. */
  active?: 'true';
  /** A place on the map; both or neither. */
  lat?: string;
  lng?: string;
  /** Sessions without a known place; not with `lat` and `lng`. */
  unknown?: 'true';
}

/** Parameters of a page of the list. */
export type SessionPageParams = ParamsOf<SessionsSearch>;

/** A place on the map, or all sessions without a known place. */
export type PlaceFilter = { lat: number; lng: number } | 'unknown';

/** Parses the parameters of an address; what has no meaning is left out. */
export function parseSessionsSearch(search: Record<string, unknown>): SessionsSearch {
  const [q, device] = [searchText(search.q), searchText(search.device)];
  return {
    ...(q === undefined ? {} : { q }),
    ...(device === undefined ? {} : { device }),
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

/** Whether the identity service's own list, which knows active sessions only, cannot answer. */
export const needsIndex = ({ q, device, ...place }: SessionsSearch): boolean =>
  q !== undefined || device !== undefined || pointIn({ ...place }) !== undefined;

/** What a search asks of `GET /api/security/sessions` and the route below it. */
export function sessionQuestion({ q, device, active, lat, lng, unknown }: SessionsSearch): URLSearchParams {
  const asked = Object.entries({ q, device, active, lat, lng, unknown });
  return new URLSearchParams(asked.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function degrees(value: unknown, limit: number): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,3}(?:\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
  return Math.abs(number) <= limit ? number : undefined;
}
