import { queryOptions } from '@tanstack/react-query';
import type { IdentityPage, IdentityTotal, ListedIdentity } from '../../shared/identities.ts';
import { isObject } from '../../shared/json.ts';
import type { CursorPage } from './cursor-page.ts';
import { request } from './request.ts';

/** What a page of the list is asked by. */
export interface IdentityPageParams {
  pageSize: number;
  /** Exact login identifier; undefined for all identities. */
  identifier: string | undefined;
  /** The beginning of one, never together with a whole one. */
  prefix?: string | undefined;
  /** The cursor that the page before named; undefined for the first page. */
  token: string | undefined;
}

/** Of every page of the list, whatever it was asked by: to be invalidated after a write. */
export const IDENTITY_PAGES_KEY = ['identities', 'page'] as const;

/** One page, one upstream request, one audit record: never asked twice for one click, hence no retry. */
export const identityPageQuery = ({ pageSize, identifier, prefix, token }: IdentityPageParams) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, { pageSize, identifier, prefix, token }],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ page_size: String(pageSize) });
      if (token !== undefined) query.set('page_token', token);
      if (identifier !== undefined) query.set('credentials_identifier', identifier);
      if (prefix !== undefined) query.set('credentials_identifier_prefix', prefix);
      return request<IdentityPage>(`/api/identities?${query}`, { signal });
    },
    select: asCursorPage,
    retry: false,
  });

/** Those who have exactly this login identifier: none or one. Each question leaves an audit record. */
export async function findByIdentifier(identifier: string): Promise<readonly ListedIdentity[]> {
  const query = new URLSearchParams({ page_size: '1', credentials_identifier: identifier });
  return (await request<IdentityPage>(`/api/identities?${query}`)).identities;
}

const asCursorPage = ({ identities, has_more, next_page_token }: IdentityPage): CursorPage<ListedIdentity> => ({
  rows: identities.map(asListed),
  next: (has_more && next_page_token) || undefined,
});

/** One row that is not as the service sends it must not take the others off the screen. */
const asListed = (row: ListedIdentity): ListedIdentity => ({ ...row, traits: isObject(row.traits) ? row.traits : {} });

const TOTAL_FRESH_MS = 60_000;

/** How many identities there are; the store counts all of its rows for it, so it is asked once a minute at most. */
export const identityTotalQuery = queryOptions({
  queryKey: ['identities', 'total'],
  queryFn: () => request<IdentityTotal>('/api/identities/total'),
  staleTime: TOTAL_FRESH_MS,
  retry: false,
});
