import { queryOptions } from '@tanstack/react-query';
import type { FoundIdentity, IdentityPage, IdentitySearchPage, ListedIdentity } from '../../../shared/identities.ts';
import { type CursorPage, refusedToken } from '../../api/cursor-page.ts';
import { asCursorPage, IDENTITY_PAGES_KEY, searchIdentities, withMarks } from '../../api/identities.ts';
import {
  type IdentityFilters,
  identitySearchParams,
  needsIndex,
  parseIdentityFilters,
} from '../../api/identity-filters.ts';
import { listIdentities, lookUpNote, plainSearch } from '../../api/identity-search.ts';
import { RequestError } from '../../api/request.ts';
import { type PagedSearch, type ParamsOf, pagedSearch } from '../../list/cursor-list.ts';

export interface IdentitiesSearch extends IdentityFilters, PagedSearch {}

export const parseIdentitiesSearch = (search: Record<string, unknown>): IdentitiesSearch => ({
  ...parseIdentityFilters(search),
  ...pagedSearch(search),
});

/** A row of the list. Without an index, members that only the index returns are missing. */
export type IdentityRow = ListedIdentity & Partial<FoundIdentity> & { external_id?: string };
export type FoundPageParams = ParamsOf<IdentitiesSearch>;

/** Marks cursors of the Kratos list, which the index does not understand. */
const PLAIN = 'plain:';

/**
 * A page of matches from the index, or else from the Kratos list, which searches login identifiers only. Each page
 * leaves an audit record, so there are no retries: one click must not be recorded twice.
 */
export const foundPageQuery = (params: ParamsOf<IdentitiesSearch>) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, 'found', params],
    queryFn: ({ client, queryKey, signal }) =>
      // A refetch makes the index look for new identities.
      withMarks(client, foundPage(params, client.getQueryData(queryKey) !== undefined, signal)),
    select: asFoundPage,
    retry: false,
  });

async function foundPage(
  { pageSize, token, ...search }: ParamsOf<IdentitiesSearch>,
  refresh: boolean,
  signal: AbortSignal,
): Promise<IdentitySearchPage | IdentityPage> {
  const plainPage = async (cursor?: string): Promise<IdentityPage> => {
    const page = await listIdentities({ ...plainSearch(search.q), pageSize, token: cursor }, signal);
    return { ...page, next_page_token: page.next_page_token && PLAIN + page.next_page_token };
  };
  if (token?.startsWith(PLAIN)) return plainPage(token.slice(PLAIN.length));
  const params = identitySearchParams(search, Date.now());
  params.set('page_size', String(pageSize));
  if (token !== undefined) params.set('page_token', token);
  if (refresh) params.set('refresh', 'true');
  try {
    return await searchIdentities(params, signal);
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'search_not_supported') throw error;
    // The cursor belongs to an index that no longer exists.
    if (token !== undefined) throw refusedToken(error);
    if (needsIndex(search)) throw error;
    return plainPage();
  }
}

function asFoundPage(found: IdentitySearchPage | IdentityPage): CursorPage<IdentityRow> {
  const page = asCursorPage<IdentityRow>(found);
  if (!('index' in found)) return page;
  const { complete, identities, as_of } = found.index;
  return { ...page, matches: { total: found.total, complete, read: identities, asOf: as_of, note: lookUpNote(found) } };
}
