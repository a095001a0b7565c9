import type { SessionLocations } from '../../../../shared/locations.ts';
import { digits } from '../../../format/counted.ts';
import { formatLeast } from '../../../format/sample.ts';
import { isSamePlace } from '../../../map/same-place.ts';
import type { PlaceFilter } from '../session-question.ts';

/**
 * The places that the list can be filtered by: everywhere, the places on the map, unknown.
 * @param point from the URL; it is among the choices even if it is not (yet) on the map
 */
export function placeChoices(
  locations: Pick<SessionLocations, 'points' | 'unknown' | 'truncated'> | undefined,
  point: PlaceFilter | undefined,
): { label: string; point: PlaceFilter | undefined; chosen: boolean }[] {
  const { points = [], unknown, truncated = false } = locations ?? {};
  const many = (count: number): string => formatLeast(truncated, digits(count));
  const isChosen = (place: { lat: number; lng: number }): boolean =>
    point !== undefined && point !== 'unknown' && isSamePlace(place, point);
  const places = points.map(({ label, count, lat, lng }) => ({
    label: `${label} (${many(count)})`,
    point: { lat, lng },
    chosen: isChosen({ lat, lng }),
  }));
  const elsewhere =
    point === undefined || point === 'unknown' || points.some(isChosen)
      ? []
      : [{ label: `Near ${degrees(point)}`, point, chosen: true }];
  return [
    { label: 'Everywhere', point: undefined, chosen: point === undefined },
    ...elsewhere,
    ...places,
    {
      label: unknown === undefined ? 'Unknown location' : `Unknown location (${many(unknown)})`,
      point: 'unknown',
      chosen: point === 'unknown',
    },
  ];
}

/** A place in running text: `Oslo, Norway`, `near 1.5°, 2°`, `unknown location`. */
export function placeName(locations: Pick<SessionLocations, 'points'> | undefined, point: PlaceFilter): string {
  if (point === 'unknown') return 'unknown location';
  return locations?.points.find((one) => isSamePlace(one, point))?.label ?? `near ${degrees(point)}`;
}

const degrees = ({ lat, lng }: { lat: number; lng: number }): string => `${lat}°, ${lng}°`;
