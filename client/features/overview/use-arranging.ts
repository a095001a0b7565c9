import { type RefObject, useState } from 'react';
import { GRID_COLUMNS, type WidgetPlacement } from '../../../shared/dashboard.ts';
import { counted } from '../../lib/format-count.ts';
import { useFocusAfterRender } from '../../ui/hooks.tsx';
import {
  columnsOf,
  type Direction,
  type GridWidget,
  inReadingOrder,
  reordered,
  type Step,
  stepped,
  withAdded,
  without,
} from './arrangement.ts';
import type { Layout } from './layout.ts';

/** The operator's actions on the grid, each with an announcement and the next focus. */
export function useArranging(
  layout: Layout,
  offered: readonly GridWidget[],
  grid: RefObject<HTMLElement | null>,
  end: () => void,
) {
  const [selected, setSelected] = useState<string>();
  const [announcement, setAnnouncement] = useState({ text: '', count: 0 });
  const announce = (text: string): void => setAnnouncement(({ count }) => ({ text, count: count + 1 }));
  const focusAfterRender = useFocusAfterRender();
  const { arrangement } = layout;
  const placements = arrangement?.placements ?? [];

  function place({ id, title }: GridWidget, act: Step['act'], next: WidgetPlacement[]): void {
    const placement = next.find((one) => one.id === id);
    if (arrangement === undefined || placement === undefined) return;
    layout.change({ ...arrangement, placements: next });
    announce(act === 'move' ? `${title} moved to ${formatPlace(placement)}.` : `${title} is ${formatSize(placement)}.`);
  }

  return {
    selected: offered.find(({ id }) => id === selected),
    select: setSelected,
    announcement,
    end,
    place,
    step(widget: GridWidget, step: Step): void {
      const { id, title, min } = widget;
      if (arrangement === undefined) return;
      setSelected(id);
      const isNarrow = grid.current !== null && columnsOf(grid.current) < GRID_COLUMNS;
      const inOrder = step.act === 'move' && isNarrow;
      const isUp = step.direction === 'left' || step.direction === 'up';
      const next = inOrder ? reordered(placements, id, isUp ? 'up' : 'down') : stepped(placements, id, step, min);
      if (next === undefined) announce(`${title} ${refusal(step)}.`);
      else place(widget, step.act, next);
      if (next !== undefined && inOrder)
        announce(`${title} is widget ${orderOf(next).indexOf(id) + 1} of ${next.length}.`);
    },
    remove(widget: GridWidget): void {
      if (arrangement === undefined) return;
      const order = orderOf(placements);
      const index = order.indexOf(widget.id);
      const neighbour = order[index + 1] ?? order[index - 1];
      layout.change(without(arrangement, widget));
      setSelected(undefined);
      announce(`${widget.title} removed. ${counted(placements.length - 1, 'widget', 'widgets')} left.`);
      focusAfterRender(() =>
        neighbour === undefined
          ? document.querySelector<HTMLElement>('[data-add-widget]')
          : document.getElementById(dragHandleId(neighbour)),
      );
    },
    add(widget: GridWidget): void {
      const { id, title } = widget;
      if (arrangement === undefined) return;
      const next = withAdded(arrangement, widget);
      layout.change(next);
      setSelected(id);
      const placement = next.placements.find((one) => one.id === id);
      if (placement !== undefined) announce(`${title} added at ${formatPlace(placement)}, ${formatSize(placement)}.`);
      focusAfterRender(() => {
        const handle = document.getElementById(dragHandleId(id));
        handle?.closest('[data-widget]')?.scrollIntoView({ block: 'nearest' });
        return handle;
      });
    },
    undo(): void {
      if (arrangement === undefined) return;
      layout.undo?.();
      announce(layout.undo === undefined ? 'There is nothing to undo.' : 'The last change was undone.');
    },
    reset(): void {
      if (arrangement === undefined) return;
      layout.reset();
      setSelected(undefined);
      announce('The overview has its default arrangement again. Undo restores yours.');
    },
  };
}

export type Arranging = ReturnType<typeof useArranging>;

const orderOf = (placements: readonly WidgetPlacement[]): string[] => inReadingOrder(placements).map(({ id }) => id);

export const dragHandleId = (id: string): string => `drag-handle-${id}`;

/** `columns 4 to 6, row 2`, counted from 1. */
function formatPlace({ x, y, w }: WidgetPlacement): string {
  const columns = w === 1 ? `column ${x + 1}` : `columns ${x + 1} to ${x + w}`;
  return `${w === GRID_COLUMNS ? 'all columns' : columns}, row ${y + 1}`;
}

/** `3 columns wide, 2 rows high` */
const formatSize = ({ w, h }: WidgetPlacement): string =>
  `${w} ${w === 1 ? 'column' : 'columns'} wide, ${h} ${h === 1 ? 'row' : 'rows'} high`;

export const RESIZED: Record<Direction, string> = { left: 'narrower', right: 'wider', up: 'shorter', down: 'taller' };

const refusal = ({ act, direction }: Step): string =>
  act === 'move' ? `cannot move further ${direction}` : `cannot be ${RESIZED[direction]}`;

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** The step for a key on a focused drag handle: arrows move the widget; with Shift they resize it. */
export function stepOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Key): Step | undefined {
  const direction = /^Arrow(Left|Right|Up|Down)$/.exec(key)?.[1]?.toLowerCase() as Direction | undefined;
  if (direction === undefined || ctrlKey || metaKey || altKey) return undefined;
  return { act: shiftKey ? 'resize' : 'move', direction };
}
