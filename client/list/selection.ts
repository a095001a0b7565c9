import { type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import { keyOf } from '../lib/keys.ts';
import { usePageKeys } from '../ui/hooks.tsx';

const NONE: ReadonlySet<string> = new Set();

export type Selection<T extends { id: string }> = ReturnType<typeof useSelection<T>>;

/**
 * The selected rows of the loaded page. Each page keeps its own selection.
 * @param enabled false if rows cannot be selected
 */
export function useSelection<T extends { id: string }>(
  loaded: { params: object; page: { rows: readonly T[] } } | undefined,
  enabled: boolean,
) {
  const [pages, setPages] = useState<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  /** The page on which the operator selected all matching rows. */
  const [allFrom, setAllFrom] = useState<string>();
  const page = JSON.stringify(loaded?.params ?? null);
  const all = allFrom === page;
  const loadedIds = loaded?.page.rows.map(({ id }) => id) ?? [];
  // All matching rows include those that a refresh adds.
  const chosen = all ? new Set(loadedIds) : (pages.get(page) ?? NONE);
  const choose = (ids: ReadonlySet<string>, from?: string): void => {
    if (!enabled) return;
    setAllFrom(from);
    setPages((current) => new Map(current).set(page, ids));
  };
  // Omits rows that have disappeared since they were selected.
  const rows = loaded?.page.rows.filter(({ id }) => chosen.has(id)) ?? [];
  return {
    chosen,
    rows,
    /** Whether all matching rows, on all pages, are selected. */
    all,
    toggle: (id: string) =>
      choose(new Set(chosen.has(id) ? [...chosen].filter((other) => other !== id) : [...chosen, id])),
    choose: (ids: ReadonlySet<string>) => choose(ids),
    chooseAll: () => choose(new Set(loadedIds), page),
  };
}

/**
 * Selects single rows and ranges. `extend` selects from the last toggled row, or else from `from`; if the range shrinks,
 * it deselects the rows that are no longer part of it. `end` finishes the range.
 */
export function useRowRange<T extends { id: string }>(page: readonly T[], selection: Selection<T>) {
  /** `before` and `after`: the selection without and with the range. The row is an id, since newer rows may precede it. */
  const start = useRef<{ id: string | undefined; before?: ReadonlySet<string>; after?: ReadonlySet<string> }>(
    undefined,
  );
  return {
    toggle(index: number): void {
      const row = page[index];
      if (row === undefined) return;
      start.current = { id: row.id };
      selection.toggle(row.id);
    },
    extend(from: number, to: number): void {
      const { before = selection.chosen, after } = start.current ?? {};
      const others = after === selection.chosen ? before : selection.chosen;
      const found = page.findIndex(({ id }) => id === start.current?.id);
      const index = found === -1 ? from : found;
      const [first, last] = index < to ? [index, to] : [to, index];
      const chosen = new Set([...others, ...page.slice(first, last + 1).map(({ id }) => id)]);
      start.current = { id: page[index]?.id, before: others, after: chosen };
      selection.choose(chosen);
    },
    end(): void {
      start.current = undefined;
    },
  };
}

interface RowActions {
  open(index: number): void;
  toggle(index: number): void;
  extend(from: number, to: number): void;
  /** The focus moves without selecting rows. */
  move(): void;
  next?: (() => void) | undefined;
  previous?: (() => void) | undefined;
}

/** Makes the rows one tab stop; keys move between them and act on the focused row. */
export function useRowKeys(table: RefObject<HTMLElement | null>, count: number, actions: RowActions) {
  const [current, setCurrent] = useState(0);
  const within = (index: number): number => Math.min(Math.max(index, 0), count - 1);
  const focus = (index: number): void =>
    table.current?.querySelector<HTMLElement>(`[data-row="${within(index)}"]`)?.focus();
  const move = (index: number): void => {
    actions.move();
    focus(index);
  };
  // From elsewhere on the page, `j` and `k` return to the row that last had the focus.
  usePageKeys((key, target) => {
    const isInTable = target instanceof Node && table.current?.contains(target);
    return (key === 'j' || key === 'k') && !isInTable ? () => focus(current) : undefined;
  });
  return {
    current,
    setCurrent,
    onKeyDown(event: KeyboardEvent<HTMLElement>): void {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const row = event.target instanceof HTMLElement ? event.target.dataset.row : undefined;
      // Newer rows may have changed the index of the focused row.
      const at = row === undefined ? current : Number(row);
      const extend = (to: number): void => {
        actions.extend(at, within(to));
        focus(to);
      };
      const key = event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : keyOf(event);
      const act = keyAction(key, row !== undefined, { ...actions, focus: move, extendTo: extend, current: at, count });
      if (act === undefined) return;
      event.preventDefault();
      act();
    },
  };
}

/** The action of a key. Enter and Space stay with a focused link, checkbox or button. */
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
  const down = (): void => focus(current + 1);
  const up = (): void => focus(current - 1);
  const toggle = (): void => rows.toggle(current);
  const actions: Record<string, (() => void) | undefined> = {
    j: down,
    ArrowDown: down,
    k: up,
    ArrowUp: up,
    'Shift+ArrowDown': () => rows.extendTo(current + 1),
    'Shift+ArrowUp': () => rows.extendTo(current - 1),
    Home: () => focus(0),
    End: () => focus(count - 1),
    x: toggle,
    ' ': onRow ? toggle : undefined,
    Enter: onRow ? () => rows.open(current) : undefined,
    n: rows.next,
    p: rows.previous,
  };
  return actions[key];
}
