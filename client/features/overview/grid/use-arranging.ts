import { type RefObject, useState } from 'react';
import { GRID_COLUMNS, type WidgetPlacement } from '../../../../shared/dashboard.ts';
import { useFocusWhenDrawn } from '../../../ui/hooks/use-focus-when-drawn.ts';
import { formatAdded, formatMoved, formatOrder, formatRefused, formatResized } from './announcements.ts';
import { type GridWidget, isFull, withAdded, without } from './arrangement.ts';
import { columnsOf } from './cells.ts';
import { dragHandleOf } from './drag-handle.ts';
import { inReadingOrder } from './placement.ts';
import { reordered, type Step, stepped } from './steps.ts';
import type { Layout } from './use-layout.ts';

/** The operator's actions on the grid, each with its announcement and the next focus. */
export function useArranging(layout: Layout, offered: readonly GridWidget[], grid: RefObject<HTMLElement | null>) {
  const [selected, setSelected] = useState<string>();
  const [said, setSaid] = useState({ text: '', turn: 0 });
  const say = (text: string): void => setSaid(({ turn }) => ({ text, turn: turn + 1 }));
  const focusWhenDrawn = useFocusWhenDrawn();
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
      focusWhenDrawn(() =>
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
      focusWhenDrawn(() => dragHandleOf(id));
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
