import type { MapPoint } from '../../shared/geo.ts';

/** Degrees between the points of the map's grid. */
const GRID = 0.5;

/** The nearest grid point; -180 and 180 are the same meridian. */
export function gridPoint(lat: number, lng: number): { lat: number; lng: number } {
  // Adding zero turns -0 into 0.
  const nearest = (degrees: number): number => Math.round(degrees / GRID) * GRID + 0;
  return { lat: nearest(lat), lng: nearest(lng) === -180 ? 180 : nearest(lng) };
}

/** Sums up places as circles on the grid, largest first. A circle is named after its place with the highest count. */
export function mapPoints(
  counts: Iterable<readonly [{ label: string; lat: number; lng: number }, number]>,
): MapPoint[] {
  const points = new Map<string, { point: MapPoint; most: number }>();
  for (const [place, count] of counts) {
    const { lat, lng } = gridPoint(place.lat, place.lng);
    const { label } = place;
    const known = points.get(`${lat} ${lng}`);
    if (known === undefined) points.set(`${lat} ${lng}`, { point: { lat, lng, label, count }, most: count });
    else {
      known.point.count += count;
      if (count > known.most || (count === known.most && label < known.point.label)) {
        known.most = count;
        known.point.label = label;
      }
    }
  }
  return [...points.values()]
    .map(({ point }) => point)
    .sort((a, b) => b.count - a.count || a.lat - b.lat || a.lng - b.lng);
}
