import { type RefObject, useState } from 'react';
import { GRID_COLUMNS, type WidgetPlacement } from '../../../shared/dashboard.ts';
import { useFocusAfterRender } from '../../ui/hooks.tsx';
import {
  columnsOf,
  type Direction,
  type GridWidget,
  inReadingOrder,
  isFull,
  reordered,
  type Step,
  stepped,
  withAdded,
  without,
} from './arrangement.ts';
import type { Layout } from './layout.ts';
import { dragHandleOf } from './use-dragging.ts';

/** The operator's actions on the grid, each with its announcement and the next focus. */
export function useArranging(layout: Layout, offered: readonly GridWidget[], grid: RefObject<HTMLElement | null>) {
  const [selected, setSelected] = useState<string>();
  const [said, setSaid] = useState({ text: '', turn: 0 });
  const say = (text: string): void => setSaid(({ turn }) => ({ text, turn: turn + 1 }));
  const focusAfterRender = useFocusAfterRender();
  const { arrangement } = layout;
  const shown = arrangement?.shown ?? [];
  const widgetOf = (id: string): GridWidget | undefined => offered.find((widget) => widget.id === id);

  function place(next: readonly WidgetPlacement[]): void {
    if (arrangement !== undefined) layout.change({ ...arrangement, shown: [...next] });
  }

  return {
    selected,
    select: setSelected,
    said,
    step(id: string, step: Step): void {
      const widget = widgetOf(id);
      if (widget === undefined || !layout.open) return;
      const stacked = grid.current !== null && columnsOf(grid.current) < GRID_COLUMNS;
      const inOrder = stacked && step.act === 'move';
      const next = inOrder
        ? reordered(shown, id, step.direction === 'left' || step.direction === 'up' ? 'up' : 'down')
        : stepped(shown, id, step, widget.least);
      const moved = next?.find((one) => one.id === id);
      setSelected(id);
      if (next === undefined || moved === undefined) {
        say(formatRefused(widget.title, step));
        return;
      }
      place(next);
      if (inOrder) say(formatOrder(widget.title, orderOf(next).indexOf(id) + 1, next.length));
      else say(step.act === 'move' ? formatMoved(widget.title, moved) : formatResized(widget.title, moved));
    },
    /** Applies the end of a drag. */
    drop(next: readonly WidgetPlacement[], id: string, act: Step['act']): void {
      const widget = widgetOf(id);
      const moved = next.find((one) => one.id === id);
      if (widget === undefined || moved === undefined || !layout.open) return;
      place(next);
      say(act === 'move' ? formatMoved(widget.title, moved) : formatResized(widget.title, moved));
    },
    remove(id: string): void {
      const widget = widgetOf(id);
      if (widget === undefined || arrangement === undefined || !layout.open) return;
      const order = orderOf(shown);
      const index = order.indexOf(id);
      const neighbour = order[index + 1] ?? order[index - 1];
      layout.change(without(arrangement, widget));
      setSelected(undefined);
      say(`${widget.title} removed. ${shown.length - 1} widgets are left.`);
      focusAfterRender(() =>
        neighbour === undefined ? document.querySelector<HTMLElement>('[data-add-widget]') : dragHandleOf(neighbour),
      );
    },
    add(id: string): void {
      const widget = widgetOf(id);
      if (widget === undefined || arrangement === undefined || isFull(arrangement) || !layout.open) return;
      const next = withAdded(arrangement, widget);
      layout.change(next);
      setSelected(id);
      const added = next.shown.find((one) => one.id === id);
      if (added !== undefined) say(formatAdded(widget.title, added));
      focusAfterRender(() => dragHandleOf(id));
    },
    undo(): void {
      if (!layout.open) return;
      layout.undo?.();
      say(layout.undo === undefined ? 'There is no change to undo.' : 'The last change was undone.');
    },
    reset(): void {
      if (!layout.open) return;
      layout.reset();
      setSelected(undefined);
      say('All widgets are back in their original places. Undo restores your arrangement.');
    },
  };
}

const orderOf = (placements: readonly WidgetPlacement[]): string[] => inReadingOrder(placements).map(({ id }) => id);

export type Arranging = ReturnType<typeof useArranging>;

/** `columns 4 to 6, row 2`, counted from 1. */
export const formatPlace = ({ x, y, w }: WidgetPlacement): string =>
  w === GRID_COLUMNS
    ? `all columns, row ${y + 1}`
    : w === 1
      ? `column ${x + 1}, row ${y + 1}`
      : `columns ${x + 1} to ${x + w}, row ${y + 1}`;

/** `3 columns wide, 2 rows high` */
export const formatSize = ({ w, h }: WidgetPlacement): string =>
  `${w} ${w === 1 ? 'column' : 'columns'} wide, ${h} ${h === 1 ? 'row' : 'rows'} high`;

export const formatMoved = (title: string, placement: WidgetPlacement): string =>
  `${title} moved to ${formatPlace(placement)}.`;

export const formatResized = (title: string, placement: WidgetPlacement): string =>
  `${title} is ${formatSize(placement)}.`;

export const formatAdded = (title: string, placement: WidgetPlacement): string =>
  `${title} added at ${formatPlace(placement)}, ${formatSize(placement)}.`;

export const formatOrder = (title: string, position: number, of: number): string =>
  `${title} is widget ${position} of ${of}.`;

const EDGES: Record<Direction, string> = {
  left: 'at the left edge',
  right: 'at the right edge',
  up: 'at the top',
  down: 'at the bottom',
};
const LIMITS: Record<Direction, string> = {
  left: 'cannot be narrower',
  right: 'cannot be wider',
  up: 'cannot be shorter',
  down: 'cannot be taller',
};

/** Why a step had no effect. */
export const formatRefused = (title: string, { act, direction }: Step): string =>
  act === 'move' ? `${title} is ${EDGES[direction]} already.` : `${title} ${LIMITS[direction]}.`;

/** Id of the element that explains the keys. */
export const ARRANGING_HINT = 'arranging-hint';

const ARROWS: Record<string, Direction> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

interface Key {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** What a key does to the widget whose handle has focus: arrows move it; with Shift they resize it. */
export function stepOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Key): Step | undefined {
  const direction = ARROWS[key];
  if (direction === undefined || ctrlKey || metaKey || altKey) return undefined;
  return { act: shiftKey ? 'resize' : 'move', direction };
}
