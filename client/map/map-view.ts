import { geoNaturalEarth1, geoPath } from 'd3-geo';
import { type PointerEvent, useRef, useState } from 'react';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import topology from 'world-atlas/land-110m.json' with { type: 'json' };

/** A part of the map: how much it is enlarged, and its middle as fractions of the whole map's width and height. */
interface MapView {
  zoom: number;
  left: number;
  top: number;
}

export type Spot = Pick<MapView, 'left' | 'top'>;

const WHOLE: MapView = { zoom: 1, left: 0.5, top: 0.5 };
const STEP = 2;
/** Here the places of the smallest countries are apart. */
const MOST = 32;
/** Of what is shown, for each press of an arrow. */
const PAN = 0.25;

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-PAN, 0],
  ArrowRight: [PAN, 0],
  ArrowUp: [0, -PAN],
  ArrowDown: [0, PAN],
};

/** Never beyond an edge. */
function within({ zoom, left, top }: MapView): MapView {
  const half = 0.5 / zoom;
  const inside = (share: number): number => Math.min(1 - half, Math.max(half, share));
  return { zoom, left: inside(left), top: inside(top) };
}

/**
 * Which part of the map is shown.
 * @param goal what the first enlargement goes to: where there is something to see
 */
export function useMapView(goal: Spot | undefined) {
  // What was asked for may be beyond an edge now and within it once enlarged.
  const [wanted, setWanted] = useState(WHOLE);
  const view = within(wanted);
  const dragged = useRef<{ x: number; y: number }>(undefined);
  const { zoom } = view;
  const move = (left: number, top: number): void =>
    setWanted((before) => {
      const now = within(before);
      return within({ ...now, left: now.left + left / now.zoom, top: now.top + top / now.zoom });
    });
  return {
    zoom,
    isWhole: zoom === 1,
    isClosest: zoom === MOST,
    /** What is shown, as fractions of the whole map: its corner and its size. */
    part: { left: view.left - 0.5 / zoom, top: view.top - 0.5 / zoom, size: 1 / zoom },
    /** @param at by default the middle of what is shown */
    enlarge: (at: Spot | undefined = zoom === 1 ? goal : undefined): void =>
      setWanted((now) => ({ ...now, ...at, zoom: Math.min(MOST, now.zoom * STEP) })),
    reduce: (): void => setWanted((now) => ({ ...now, zoom: Math.max(1, now.zoom / STEP) })),
    showAll: (): void => setWanted(WHOLE),
    /** Brings a spot into view if it is not. */
    show({ left, top }: Spot): void {
      const half = 0.5 / zoom;
      if (Math.abs(left - view.left) > half || Math.abs(top - view.top) > half) setWanted({ zoom, left, top });
    },
    /** @returns whether the key is an arrow */
    pan(key: string): boolean {
      const step = ARROWS[key];
      if (step !== undefined) move(...step);
      return step !== undefined;
    },
    /** With the mouse or a finger, while it is enlarged. */
    drag: {
      onPointerDown({ clientX, clientY, currentTarget, pointerId, isPrimary }: PointerEvent): void {
        if (zoom === 1 || !isPrimary) return;
        dragged.current = { x: clientX, y: clientY };
        currentTarget.setPointerCapture(pointerId);
      },
      onPointerMove({ clientX, clientY, currentTarget }: PointerEvent): void {
        if (dragged.current === undefined) return;
        const { x, y } = dragged.current;
        const { width, height } = currentTarget.getBoundingClientRect();
        dragged.current = { x: clientX, y: clientY };
        move((x - clientX) / width, (y - clientY) / height);
      },
      onPointerUp(): void {
        dragged.current = undefined;
      },
      onPointerCancel(): void {
        dragged.current = undefined;
      },
    },
  };
}

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
const inside = (share: number): number => Math.min(0.99, Math.max(0.01, share));

/** Position on the map, as fractions of its width and height. */
export function onMap({ lat, lng }: { lat: number; lng: number }): { left: number; top: number } {
  const [x, y] = projection([lng, lat]) ?? [0, 0];
  return { left: inside(x / MAP_WIDTH), top: inside(y / MAP_HEIGHT) };
}
