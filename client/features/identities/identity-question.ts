import { type IdentityFilters, parseIdentityFilters } from '../../api/identity-filters.ts';
import { type PagedSearch, pagedSearch } from '../../resource/list/page-step.ts';

/** Search parameters of the list. */
export interface IdentitiesSearch extends IdentityFilters, PagedSearch {}

/** Parses the parameters of an address; what has no meaning is left out. */
export const parseIdentitiesSearch = (search: Record<string, unknown>): IdentitiesSearch => ({
  ...parseIdentityFilters(search),
  ...pagedSearch(search),
});

/** Whether it asks for fewer than all. */
export const hasFilters = (search: IdentitiesSearch): boolean => search.q !== undefined || needsIndex(search);

/** Whether the plain list, which knows login identifiers only, cannot answer. */
export const needsIndex = (search: IdentitiesSearch): boolean =>
  ([search.state, search.schema, search.verified, search.created, search.updated, search.session] as unknown[]).some(
    (value) => value !== undefined,
  );

/** Whether who is found depends on sessions, of which the service need not know all. */
export const isBySignIn = ({ session }: IdentitiesSearch): boolean => session !== undefined;
