import {
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { GRID_COLUMNS, type WidgetPlacement } from '../../../shared/dashboard.ts';
import { cellOf, columnsOf, fitted, placedAt, type Size, type Step } from './arrangement.ts';

export interface Drag {
  id: string;
  act: Step['act'];
  /** The placements if the widget were dropped now. */
  preview: WidgetPlacement[];
  /** Pixels between the pointer and the dragged widget's place in the preview. */
  offset: { x: number; y: number };
}

/** A smaller movement counts as a click. */
const SLACK_PX = 4;
/** The page scrolls when the pointer is this close to the window's edge. */
const EDGE_PX = 72;

/** Moves and resizes widgets with a pointer; Escape cancels. Only when the grid has all its columns. */
export function useDragging(props: {
  grid: RefObject<HTMLElement | null>;
  placements: readonly WidgetPlacement[];
  leastOf: (id: string) => Size;
  onDrop: (next: readonly WidgetPlacement[], id: string, act: Step['act']) => void;
}) {
  const { grid, placements, leastOf, onDrop } = props;
  const [drag, setDrag] = useState<Drag>();
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);

  function begin(event: ReactPointerEvent, id: string, act: Step['act']): void {
    const start = placements.find((widget) => widget.id === id);
    if (event.button !== 0 || grid.current === null || start === undefined) return;
    if (columnsOf(grid.current) < GRID_COLUMNS) return;
    stop.current?.();
    const cell = cellOf(grid.current);
    const from = { x: event.clientX + scrollX, y: event.clientY + scrollY };
    const { pointerId } = event;
    let latest: Drag | undefined;

    function move(moved: PointerEvent): void {
      if (moved.pointerId !== pointerId || start === undefined) return;
      const by = { x: moved.clientX + scrollX - from.x, y: moved.clientY + scrollY - from.y };
      if (latest === undefined && Math.hypot(by.x, by.y) < SLACK_PX) return;
      if (moved.clientY > innerHeight - EDGE_PX) scrollBy(0, 14);
      else if (moved.clientY < EDGE_PX * 2) scrollBy(0, -14);
      const cells = { x: Math.round(by.x / cell.width), y: Math.round(by.y / cell.height) };
      const wanted =
        act === 'move'
          ? { ...start, x: start.x + cells.x, y: start.y + cells.y }
          : { ...start, w: Math.min(start.w + cells.x, GRID_COLUMNS - start.x), h: start.h + cells.y };
      const preview = placedAt(placements, fitted(wanted, leastOf(id)));
      const there = preview.find((widget) => widget.id === id) ?? start;
      latest = {
        id,
        act,
        preview,
        offset: {
          x: by.x - (there.x - start.x) * cell.width,
          y: by.y - (there.y - start.y) * cell.height,
        },
      };
      setDrag(latest);
    }
    function end(): void {
      stop.current = undefined;
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', drop);
      removeEventListener('pointercancel', end);
      removeEventListener('keydown', cancel);
      setDrag(undefined);
    }
    function drop(): void {
      end();
      if (latest !== undefined && !isSame(latest.preview, placements)) onDrop(latest.preview, id, act);
    }
    function cancel({ key }: KeyboardEvent): void {
      if (key === 'Escape') end();
    }
    addEventListener('pointermove', move);
    addEventListener('pointerup', drop);
    addEventListener('pointercancel', end);
    addEventListener('keydown', cancel);
    stop.current = end;
  }

  return { drag, begin };
}

const isSame = (one: readonly WidgetPlacement[], other: readonly WidgetPlacement[]): boolean =>
  one.length === other.length &&
  one.every((a) => other.some((b) => a.id === b.id && a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h));

const GLIDE_MS = 160;

/** Animates widgets to their new places, unless the user prefers reduced motion. */
export function useGlide(grid: RefObject<HTMLElement | null>, active: boolean, dragged: string | undefined): void {
  const before = useRef(new Map<string, { left: number; top: number }>());
  useLayoutEffect(() => {
    const after = new Map<string, { left: number; top: number }>();
    const still = !active || matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const widget of grid.current?.querySelectorAll<HTMLElement>('[data-widget]') ?? []) {
      const id = widget.dataset['widget'] ?? '';
      const { offsetLeft: left, offsetTop: top } = widget;
      after.set(id, { left, top });
      const from = before.current.get(id);
      if (still || id === dragged || from === undefined || (from.left === left && from.top === top)) continue;
      widget.animate([{ transform: `translate(${from.left - left}px, ${from.top - top}px)` }, { transform: 'none' }], {
        duration: GLIDE_MS,
        easing: 'ease-out',
      });
    }
    before.current = after;
  });
}

/** Element id of a widget's drag handle. */
export const dragHandleId = (id: string): string => `drag-handle-${id}`;

export const dragHandleOf = (id: string): HTMLElement | null => document.getElementById(dragHandleId(id));

export const firstDragHandle = (): HTMLElement | null => document.querySelector<HTMLElement>('[id^="drag-handle-"]');
