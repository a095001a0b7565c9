import type { PageParams } from '../../../resource/list/shown-page.ts';
import type { CursorList } from '../../../resource/list/use-cursor-list.ts';

/** Turns the error of a service without prefix search into an empty result, since it is not a failure. */
export function prefixSearchUnsupported<T, Params extends PageParams>(
  list: CursorList<T, Params>,
): { list: CursorList<T, Params>; supported: boolean } {
  if (list.failure?.code !== 'search_not_supported') return { list, supported: true };
  return {
    list: {
      ...list,
      failure: undefined,
      shown: { params: list.params, pages: [], page: { rows: [], next: undefined } },
    },
    supported: false,
  };
}
