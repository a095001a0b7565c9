import { type KeyboardEvent, type RefObject, useCallback, useRef, useState } from 'react';

const NONE: ReadonlySet<string> = new Set();

export type Selection<T extends { id: string }> = ReturnType<typeof useSelection<T>>;

/** The selected rows of the loaded page. Selections on other pages are restored on return to them. */
export function useSelection<T extends { id: string }>(
  loaded: { params: object; page: { rows: readonly T[] } } | undefined,
) {
  const [pages, setPages] = useState<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  /** The page from which all matching rows were selected. */
  const [allFrom, setAllFrom] = useState<string>();
  const page = JSON.stringify(loaded?.params ?? null);
  const chosen = pages.get(page) ?? NONE;
  const toggle = useCallback(
    (id: string) => {
      setAllFrom(undefined);
      setPages((current) => {
        const next = new Set(current.get(page));
        if (!next.delete(id)) next.add(id);
        return new Map(current).set(page, next);
      });
    },
    [page],
  );
  const choose = (ids: Iterable<string>, all?: string): void => {
    setAllFrom(all);
    setPages((current) => new Map(current).set(page, new Set(ids)));
  };
  // Rows that have disappeared since they were selected are not acted on.
  const rows = loaded?.page.rows.filter(({ id }) => chosen.has(id)) ?? [];
  return {
    chosen,
    rows,
    /** Everything that matches the search of the list, on all pages. */
    all: allFrom === page,
    toggle,
    /** Selects exactly these on the page. */
    choose: (ids: Iterable<string>) => choose(ids),
    chooseAll: () => choose(loaded?.page.rows.map(({ id }) => id) ?? [], page),
  };
}

/**
 * Selects single rows and ranges. `extend` selects from the last selected row, or else `from`; a range that shrinks
 * deselects rows again. After `end`, the next range has a new start.
 */
export function useRowRange<T extends { id: string }>(page: readonly T[], selection: Selection<T>) {
  const start = useRef<{ index: number; before: ReadonlySet<string> | undefined }>(undefined);
  return {
    toggle(index: number): void {
      const row = page[index];
      if (row === undefined) return;
      start.current = { index, before: undefined };
      selection.toggle(row.id);
    },
    extend(from: number, to: number): void {
      start.current ??= { index: from, before: undefined };
      start.current.before ??= selection.chosen;
      const { index, before } = start.current;
      const [first, last] = index < to ? [index, to] : [to, index];
      selection.choose([...before, ...page.slice(first, last + 1).map(({ id }) => id)]);
    },
    end(): void {
      start.current = undefined;
    },
  };
}

interface RowActions {
  open(index: number): void;
  toggle(index: number): void;
  /** Selects a range of rows. */
  extend(from: number, to: number): void;
  /** Focus moves to another row without selecting it. */
  move(): void;
  next?: (() => void) | undefined;
  previous?: (() => void) | undefined;
}

/** One row at a time is in the tab order; keys move between rows and act on the focused one. */
export function useRowKeys(table: RefObject<HTMLElement | null>, count: number, actions: RowActions) {
  const [current, setCurrent] = useState(0);
  const within = (index: number): number => Math.min(Math.max(index, 0), count - 1);
  const focus = (index: number): void =>
    table.current?.querySelector<HTMLElement>(`[data-row="${within(index)}"]`)?.focus();
  const move = (index: number): void => {
    actions.move();
    focus(index);
  };
  return {
    current,
    setCurrent,
    onKeyDown(event: KeyboardEvent<HTMLElement>): void {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const row = event.target instanceof HTMLElement ? event.target.dataset.row : undefined;
      // Newer rows above the focused one change its index.
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
