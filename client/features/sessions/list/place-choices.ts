import type { SessionLocations } from '../../../../shared/session-locations.ts';
import { digits } from '../../../format/counted.ts';
import { formatLeast } from '../../../format/sample.ts';
import { isSamePlace } from '../../../map/same-place.ts';
import type { Circle } from '../session-queries.ts';

/**
 * What the list can be limited to, by name: everywhere, the places of the map, those without one.
 * @param circle the one in the address, which stands among the choices though the map may not have it (yet)
 */
export function placeChoices(
  locations: Pick<SessionLocations, 'points' | 'unknown' | 'truncated'> | undefined,
  circle: Circle | undefined,
): { label: string; circle: Circle | undefined; chosen: boolean }[] {
  const { points = [], unknown, truncated = false } = locations ?? {};
  const many = (count: number): string => formatLeast(truncated, digits(count));
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
