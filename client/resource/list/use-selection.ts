import { startTransition, useCallback, useState } from 'react';
import type { PageParams, ShownPage } from './shown-page.ts';

/** Which rows of the shown page are chosen; what was chosen on other pages of this list is there again with them. */
export interface Selection<T> {
  chosen: ReadonlySet<string>;
  rows: T[];
  toggle(id: string): void;
  /** Chooses exactly these of the shown page. */
  choose(ids: Iterable<string>): void;
}

const NONE: ReadonlySet<string> = new Set();

export function useSelection<T extends { id: string }, Params extends PageParams>(
  shown: ShownPage<T, Params> | undefined,
): Selection<T> {
  const [pages, setPages] = useState<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  const page = JSON.stringify(shown?.params ?? null);
  const chosen = pages.get(page) ?? NONE;
  const toggle = useCallback(
    (id: string) =>
      setPages((current) => {
        const next = new Set(current.get(page));
        if (!next.delete(id)) next.add(id);
        return new Map(current).set(page, next);
      }),
    [page],
  );
  return {
    chosen,
    // A row that is gone since it was chosen is not acted upon.
    rows: shown?.page.rows.filter(({ id }) => chosen.has(id)) ?? [],
    toggle,
    // Every row changes: in pieces, so that the browser goes on answering.
    choose: (ids) => startTransition(() => setPages((current) => new Map(current).set(page, new Set(ids)))),
  };
}
