import type { PageParams } from './shown-page.ts';
import type { CursorList } from './use-cursor-list.ts';

/** Turns the refusal of a search that a service or the index does not support into an empty result: it is no failure. */
export function orRefused<T, Params extends PageParams>(
  list: CursorList<T, Params>,
): { list: CursorList<T, Params>; refused: boolean } {
  if (list.failure?.code !== 'search_not_supported') return { list, refused: false };
  return {
    list: {
      ...list,
      failure: undefined,
      shown: { params: list.params, pages: [], page: { rows: [], next: undefined } },
    },
    refused: true,
  };
}
