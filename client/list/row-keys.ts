import { type KeyboardEvent, type RefObject, useState } from 'react';

/** One row at a time is in the tab order; keys move between rows and act on the focused one. */
export interface RowKeys {
  current: number;
  setCurrent(index: number): void;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
}

export interface RowActions {
  open(index: number): void;
  toggle(index: number): void;
  /** Selects a range of rows. */
  extend(from: number, to: number): void;
  /** Focus moves to another row without selecting it. */
  move(): void;
  next?: (() => void) | undefined;
  previous?: (() => void) | undefined;
}

export function useRowKeys(table: RefObject<HTMLElement | null>, count: number, actions: RowActions): RowKeys {
  const [current, setCurrent] = useState(0);
  const within = (index: number): number => Math.min(Math.max(index, 0), count - 1);
  const focus = (index: number): void => rowOf(table.current, within(index))?.focus();
  const move = (index: number): void => {
    actions.move();
    focus(index);
  };
  return {
    current,
    setCurrent,
    onKeyDown(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const row = event.target instanceof HTMLElement ? event.target.dataset.row : undefined;
      // Rows that came above the focused one have moved it on.
      const at = row === undefined ? current : Number(row);
      const extend = (to: number): void => {
        actions.extend(at, within(to));
        focus(to);
      };
      const key = event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key;
      const act = keyAction(key, row !== undefined, { ...actions, focus: move, extendTo: extend, current: at, count });
      if (act === undefined) return;
      event.preventDefault();
      act();
    },
  };
}

export const rowOf = (table: HTMLElement | null, index: number): HTMLElement | null =>
  table?.querySelector<HTMLElement>(`[data-row="${index}"]`) ?? null;

/** What a key does. Enter and Space are left to a focused link, checkbox or button. */
export function keyAction(
  key: string,
  onRow: boolean,
  rows: Omit<RowActions, 'extend' | 'move'> & {
    focus: (index: number) => void;
    extendTo: (index: number) => void;
    current: number;
    count: number;
  },
): (() => void) | undefined {
  const { current, count, focus } = rows;
  switch (key) {
    case 'j':
    case 'ArrowDown':
      return () => focus(current + 1);
    case 'k':
    case 'ArrowUp':
      return () => focus(current - 1);
    case 'Shift+ArrowDown':
      return () => rows.extendTo(current + 1);
    case 'Shift+ArrowUp':
      return () => rows.extendTo(current - 1);
    case 'Home':
      return () => focus(0);
    case 'End':
      return () => focus(count - 1);
    case 'x':
      return () => rows.toggle(current);
    case ' ':
      return onRow ? () => rows.toggle(current) : undefined;
    case 'Enter':
      return onRow ? () => rows.open(current) : undefined;
    case 'n':
      return rows.next;
    case 'p':
      return rows.previous;
    default:
      return undefined;
  }
}
