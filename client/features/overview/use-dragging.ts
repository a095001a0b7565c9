import {
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { GRID_COLUMNS, type WidgetPlacement } from '../../../shared/dashboard.ts';
import { cellOf, columnsOf, fitted, type GridWidget, placedAt, type Step } from './arrangement.ts';

interface Drag {
  id: string;
  act: Step['act'];
  preview: WidgetPlacement[];
  /** How far the dragged widget is from its place in the preview, in pixels. */
  offset: { x: number; y: number };
}

/** Smaller movements count as clicks. */
const CLICK_PX = 4;
/** The page scrolls if the pointer is this close to the bottom of the window, or twice as far from the top. */
const EDGE_PX = 72;

/** Moves and resizes widgets with a pointer; Escape cancels. Requires the twelve-column grid. */
export function useDragging(props: {
  grid: RefObject<HTMLElement | null>;
  placements: readonly WidgetPlacement[];
  onDrop: (widget: GridWidget, act: Step['act'], next: WidgetPlacement[]) => void;
}) {
  const { grid, placements, onDrop } = props;
  const [drag, setDrag] = useState<Drag>();
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);

  function beginDrag(event: ReactPointerEvent, widget: GridWidget, act: Step['act']): void {
    const { id, min } = widget;
    const start = placements.find((one) => one.id === id);
    if (event.button !== 0 || grid.current === null || start === undefined) return;
    if (columnsOf(grid.current) < GRID_COLUMNS) return;
    stop.current?.();
    const cell = cellOf(grid.current);
    const from = { x: event.clientX + scrollX, y: event.clientY + scrollY };
    let latest: Drag | undefined;
    const listeners = new AbortController();
    const end = (): void => {
      listeners.abort();
      setDrag(undefined);
    };
    stop.current = end;

    function onMove({ pointerId, clientX, clientY }: PointerEvent): void {
      if (pointerId !== event.pointerId || start === undefined) return;
      const by = { x: clientX + scrollX - from.x, y: clientY + scrollY - from.y };
      if (latest === undefined && Math.hypot(by.x, by.y) < CLICK_PX) return;
      if (clientY > innerHeight - EDGE_PX) scrollBy(0, 14);
      else if (clientY < EDGE_PX * 2) scrollBy(0, -14);
      const x = Math.round(by.x / cell.width);
      const y = Math.round(by.y / cell.height);
      const target =
        act === 'move'
          ? { ...start, x: start.x + x, y: start.y + y }
          : { ...start, w: Math.min(start.w + x, GRID_COLUMNS - start.x), h: start.h + y };
      const preview = placedAt(placements, fitted(target, min));
      const landing = preview.find((one) => one.id === id) ?? start;
      latest = {
        id,
        act,
        preview,
        offset: { x: by.x - (landing.x - start.x) * cell.width, y: by.y - (landing.y - start.y) * cell.height },
      };
      setDrag(latest);
    }
    const { signal } = listeners;
    addEventListener('pointermove', onMove, { signal });
    addEventListener('pointercancel', end, { signal });
    addEventListener('keydown', ({ key }) => key === 'Escape' && end(), { signal });
    addEventListener(
      'pointerup',
      () => {
        end();
        if (latest !== undefined && !isSame(latest.preview, placements)) onDrop(widget, act, latest.preview);
      },
      { signal },
    );
  }

  return { drag, beginDrag };
}

const isSame = (one: readonly WidgetPlacement[], other: readonly WidgetPlacement[]): boolean =>
  one.every((a) => other.some((b) => a.id === b.id && a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h));

const MOVE_MS = 160;

/** While `active`, animates all widgets but the dragged one, unless the user prefers reduced motion. */
export function useMoveAnimation(grid: RefObject<HTMLElement | null>, active: boolean, dragged?: string): void {
  const before = useRef(new Map<HTMLElement, { left: number; top: number }>());
  useLayoutEffect(() => {
    const after = new Map<HTMLElement, { left: number; top: number }>();
    const animates = active && !matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const widget of grid.current?.querySelectorAll<HTMLElement>('[data-widget]') ?? []) {
      const { offsetLeft: left, offsetTop: top } = widget;
      const from = before.current.get(widget);
      after.set(widget, { left, top });
      if (!animates || widget.dataset['widget'] === dragged || from === undefined) continue;
      if (from.left === left && from.top === top) continue;
      widget.animate([{ transform: `translate(${from.left - left}px, ${from.top - top}px)` }, { transform: 'none' }], {
        duration: MOVE_MS,
        easing: 'ease-out',
      });
    }
    before.current = after;
  });
}
