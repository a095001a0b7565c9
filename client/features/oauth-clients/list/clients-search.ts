import { searchText } from '../../../lib/search-text.ts';
import { type PagedSearch, pagedSearch } from '../../../resource/list/page-step.ts';

/** Search parameters of the list. */
export interface ClientsSearch extends PagedSearch {
  /** Any part of name, owner or client id. */
  q?: string;
}

/** A bookmark may still ask for a name or an owner, which are found as well. */
export function clientsSearch({ q, name, owner, ...search }: Record<string, unknown>): ClientsSearch {
  const text = searchText(q) ?? searchText(name) ?? searchText(owner);
  return { ...(text === undefined ? {} : { q: text }), ...pagedSearch(search) };
}
