import { type PagedSearch, type PageStep, pageAsked, pagedSearch } from '../../../resource/list/page-step.ts';

/** The list's state that a link carries. */
export interface IdentitiesSearch extends PagedSearch {
  /** Exact login identifier. */
  identifier?: string;
}

export function identitiesSearch(search: Record<string, unknown>): IdentitiesSearch {
  const identifier = typeof search.identifier === 'string' ? search.identifier.trim() : '';
  return { ...(identifier === '' ? {} : { identifier }), ...pagedSearch(search) };
}

/** The question of the page that this address and history entry stand for. */
export const pageQuestion = (search: IdentitiesSearch, pages: readonly PageStep[]) => ({
  ...pageAsked(search, pages),
  identifier: search.identifier,
});
