import { geoNaturalEarth1, geoPath } from 'd3-geo';
import { type PointerEvent, useRef, useState } from 'react';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import topology from 'world-atlas/land-110m.json' with { type: 'json' };

/** A part of the map: the zoom factor, and the centre as fractions of the whole map's width and height. */
interface MapView {
  zoom: number;
  left: number;
  top: number;
}

type Spot = Pick<MapView, 'left' | 'top'>;

const WHOLE: MapView = { zoom: 1, left: 0.5, top: 0.5 };
const STEP = 2;
/** Enough to tell locations apart in the smallest countries. */
const ZOOM_MAX = 32;
/** How far an arrow key moves the view, as a share of the visible part. */
const PAN = 0.25;

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-PAN, 0],
  ArrowRight: [PAN, 0],
  ArrowUp: [0, -PAN],
  ArrowDown: [0, PAN],
};

function within({ zoom, left, top }: MapView): MapView {
  const half = 0.5 / zoom;
  const inside = (share: number): number => Math.min(1 - half, Math.max(half, share));
  return { zoom, left: inside(left), top: inside(top) };
}

/**
 * The visible part of the map, with functions that change it.
 * @param goal centre when zooming in from the whole map: a location with sessions
 */
export function useMapView(goal: Spot | undefined) {
  // Not clamped: a point that is too close to the edge now may not be after zooming in.
  const [target, setTarget] = useState(WHOLE);
  const view = within(target);
  const dragged = useRef<{ x: number; y: number }>(undefined);
  const { zoom } = view;
  const drop = (): void => {
    dragged.current = undefined;
  };
  const move = (left: number, top: number): void =>
    setTarget((before) => {
      const now = within(before);
      return within({ ...now, left: now.left + left / now.zoom, top: now.top + top / now.zoom });
    });
  return {
    zoom,
    isWhole: zoom === 1,
    isClosest: zoom === ZOOM_MAX,
    /** The visible part, as fractions of the whole map: corner and size. */
    part: { left: view.left - 0.5 / zoom, top: view.top - 0.5 / zoom, size: 1 / zoom },
    /** @param at the new centre; by default `goal` from the whole map, otherwise the current centre */
    enlarge: (at: Spot | undefined = zoom === 1 ? goal : undefined): void =>
      setTarget((now) => ({ ...now, ...at, zoom: Math.min(ZOOM_MAX, now.zoom * STEP) })),
    reduce: (): void => setTarget((now) => ({ ...now, zoom: Math.max(1, now.zoom / STEP) })),
    showAll: (): void => setTarget(WHOLE),
    /** Centres the view on a spot unless it is visible. */
    show({ left, top }: Spot): void {
      const half = 0.5 / zoom;
      if (Math.abs(left - view.left) > half || Math.abs(top - view.top) > half) setTarget({ zoom, left, top });
    },
    /** Moves the view for an arrow key; @returns whether the key is one. */
    pan(key: string): boolean {
      const step = ARROWS[key];
      if (step !== undefined) move(...step);
      return step !== undefined;
    },
    /** Mouse or touch, when zoomed in. */
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
      onPointerUp: drop,
      onPointerCancel: drop,
    },
  };
}

/** In map units. The map ends above Antarctica, where nobody signs in. */
export const MAP_WIDTH = 960;
export const MAP_HEIGHT = 450;

// Rotated, so that the edges are in the Bering Strait instead of Siberia. Only ocean is clipped there and at the top.
const projection = geoNaturalEarth1()
  .rotate([-11, 0])
  .scale(187.2)
  .translate([MAP_WIDTH / 2, 264.2]);
// The JSON's inferred type has `type: string`, which is wider than the topology type.
const world = topology as unknown as Topology<{ land: GeometryCollection }>;

/** All land, as the `d` attribute of one SVG path. */
export const landPath: string = geoPath(projection).digits(1)(feature(world, world.objects.land)) ?? '';

/** Moves locations at or beyond an edge to just inside. */
const inside = (share: number): number => Math.min(0.99, Math.max(0.01, share));

/** Position on the map, as fractions of its width and height. */
export function onMap({ lat, lng }: { lat: number; lng: number }): { left: number; top: number } {
  const [x, y] = projection([lng, lat]) ?? [0, 0];
  return { left: inside(x / MAP_WIDTH), top: inside(y / MAP_HEIGHT) };
}
