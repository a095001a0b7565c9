import { useRef } from 'react';
import type { Selection } from './use-selection.ts';

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
