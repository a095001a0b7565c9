import { geoNaturalEarth1, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import topology from 'world-atlas/land-110m.json' with { type: 'json' };

/** The drawing's own units. Nobody signs in from the Antarctic ice: the map ends above it. */
export const MAP_WIDTH = 960;
export const MAP_HEIGHT = 450;

/** The sphere is slightly larger than the drawing, so that only ocean is cut off. */
const CUT = { x: 32, y: 2 };
// Rotated so that the edges run through the Bering Strait and not through Siberia.
const projection = geoNaturalEarth1()
  .rotate([-11, 0])
  .fitWidth(MAP_WIDTH + 2 * CUT.x, { type: 'Sphere' });
const [shiftX, shiftY] = projection.translate();
projection.translate([shiftX - CUT.x, shiftY - CUT.y]);
// The JSON's inferred type has `type: string`, which is wider than a topology's.
const world = topology as unknown as Topology<{ land: GeometryCollection }>;

/** All land, as the `d` attribute of one SVG path. */
export const landPath: string = geoPath(projection).digits(1)(feature(world, world.objects.land)) ?? '';

/** Places beyond an edge are drawn at it. */
const within = (share: number): number => Math.min(0.99, Math.max(0.01, share));

/** Position on the map, as fractions of its width and height. */
export function onMap({ lat, lng }: { lat: number; lng: number }): { left: number; top: number } {
  const [x, y] = projection([lng, lat]) ?? [0, 0];
  return { left: within(x / MAP_WIDTH), top: within(y / MAP_HEIGHT) };
}
