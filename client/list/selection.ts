import { useCallback, useRef, useState } from 'react';

/** The selected rows of the shown page. Selections on other pages are restored when returning to them. */
export interface Selection<T> {
  chosen: ReadonlySet<string>;
  rows: T[];
  /** Everything that matches what the list asks, on all pages. */
  all: boolean;
  toggle(id: string): void;
  /** Selects exactly these on the shown page. */
  choose(ids: Iterable<string>): void;
  chooseAll(): void;
}

const NONE: ReadonlySet<string> = new Set();

export function useSelection<T extends { id: string }>(
  shown: { params: object; page: { rows: readonly T[] } } | undefined,
): Selection<T> {
  const [pages, setPages] = useState<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  /** The page from which all that match were selected. */
  const [allFrom, setAllFrom] = useState<string>();
  const page = JSON.stringify(shown?.params ?? null);
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
  const rows = shown?.page.rows.filter(({ id }) => chosen.has(id)) ?? [];
  return {
    chosen,
    rows,
    all: allFrom === page,
    toggle,
    choose: (ids) => choose(ids),
    chooseAll: () => choose(shown?.page.rows.map(({ id }) => id) ?? [], page),
  };
}

/** Selects single rows and ranges. */
export interface RowRange {
  toggle(index: number): void;
  /** Selects from the last selected row, or else `from`; a range that shrinks deselects rows again. */
  extend(from: number, to: number): void;
  /** The next range starts here. */
  end(): void;
}

export function useRowRange<T extends { id: string }>(page: readonly T[], selection: Selection<T>): RowRange {
  const start = useRef<{ index: number; before: ReadonlySet<string> | undefined }>(undefined);
  return {
    toggle(index) {
      const row = page[index];
      if (row === undefined) return;
      start.current = { index, before: undefined };
      selection.toggle(row.id);
    },
    extend(from, to) {
      start.current ??= { index: from, before: undefined };
      start.current.before ??= selection.chosen;
      const { index, before } = start.current;
      const [first, last] = index < to ? [index, to] : [to, index];
      selection.choose([...before, ...page.slice(first, last + 1).map(({ id }) => id)]);
    },
    end() {
      start.current = undefined;
    },
  };
}
