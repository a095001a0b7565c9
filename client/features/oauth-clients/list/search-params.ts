import { type PagedSearch, type PageStep, pageAsked, pagedSearch } from '../../../resource/list/page-step.ts';

/** The list's state that a link carries. */
export interface ClientsSearch extends PagedSearch {
  /** Exact name. */
  name?: string;
  /** Exact owner. */
  owner?: string;
}

export function clientsSearch(search: Record<string, unknown>): ClientsSearch {
  return { ...filter('name', search.name), ...filter('owner', search.owner), ...pagedSearch(search) };
}

const filter = (member: 'name' | 'owner', value: unknown): ClientsSearch => {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? {} : { [member]: text };
};

/** The question of the page that this address and history entry stand for. */
export const pageParams = (search: ClientsSearch, pages: readonly PageStep[]) => ({
  ...pageAsked(search, pages),
  name: search.name,
  owner: search.owner,
});
