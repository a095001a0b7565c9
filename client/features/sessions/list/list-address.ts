import type { SessionLocations } from '../../../../shared/session-locations.ts';
import type { Circle } from '../../../api/sessions.ts';
import { isSamePlace } from '../../../map/same-place.ts';
import { type PagedSearch, type PageStep, pageAsked, pagedSearch } from '../../../resource/list/page-step.ts';
import { digits } from '../../../ui/counted.ts';
import { leastInWords } from '../../../ui/sample-in-words.ts';

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

/** The question of the page that this address and history entry stand for. */
export const pageQuestion = (search: SessionsSearch, pages: readonly PageStep[]) => ({
  ...pageAsked(search, pages),
  active: search.active === 'true',
  circle: circleIn({ ...search }),
});

/**
 * What the list can be limited to, by name: everywhere, the places of the map, those without one.
 * @param circle the one in the address, which stands among the choices though the map may not have it (yet)
 */
export function placeChoices(
  locations: Pick<SessionLocations, 'points' | 'unknown' | 'truncated'> | undefined,
  circle: Circle | undefined,
): { label: string; circle: Circle | undefined; chosen: boolean }[] {
  const { points = [], unknown, truncated = false } = locations ?? {};
  const many = (count: number): string => leastInWords(truncated, digits(count));
  const isChosen = (place: { lat: number; lng: number }): boolean =>
    circle !== undefined && circle !== 'unknown' && isSamePlace(place, circle);
  const places = points.map(({ label, count, lat, lng }) => ({
    label: `${label} (${many(count)})`,
    circle: { lat, lng },
    chosen: isChosen({ lat, lng }),
  }));
  const elsewhere =
    circle === undefined || circle === 'unknown' || points.some(isChosen)
      ? []
      : [{ label: `Near ${circle.lat}°, ${circle.lng}°`, circle, chosen: true }];
  return [
    { label: 'Everywhere', circle: undefined, chosen: circle === undefined },
    ...elsewhere,
    ...places,
    {
      label: unknown === undefined ? 'Unknown location' : `Unknown location (${many(unknown)})`,
      circle: 'unknown',
      chosen: circle === 'unknown',
    },
  ];
}
