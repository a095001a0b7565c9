import { queryOptions } from '@tanstack/react-query';
import type { IdentityPage, IdentityTotal, ListedIdentity } from '../../shared/identities.ts';
import { isObject } from '../../shared/json.ts';
import type { CursorPage } from './cursor-page.ts';
import { request } from './request.ts';

/** Parameters of a page of the list. */
export interface IdentityPageParams {
  pageSize: number;
  /** Exact login identifier; undefined for all identities. */
  identifier?: string | undefined;
  /** The beginning of one, never together with a whole one. */
  prefix?: string | undefined;
  /** Cursor from the previous page; undefined for the first page. */
  token: string | undefined;
}

/** Key prefix of every page of the list, for invalidation after a write. */
export const IDENTITY_PAGES_KEY = ['identities', 'page'] as const;

/** Each page is one upstream request and one audit record: no retry, so that one click never counts twice. */
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

/** The identity with exactly this login identifier, if any. Every call leaves an audit record. */
export async function findByIdentifier(identifier: string): Promise<readonly ListedIdentity[]> {
  const query = new URLSearchParams({ page_size: '1', credentials_identifier: identifier });
  return (await request<IdentityPage>(`/api/identities?${query}`)).identities;
}

const asCursorPage = ({ identities, has_more, next_page_token }: IdentityPage): CursorPage<ListedIdentity> => ({
  rows: identities.map(asListed),
  next: (has_more && next_page_token) || undefined,
});

/** One malformed row must not take the others off the screen. */
const asListed = (row: ListedIdentity): ListedIdentity => ({ ...row, traits: isObject(row.traits) ? row.traits : {} });

const TOTAL_FRESH_MS = 60_000;

/** Total number of identities. The store counts all its rows for this, so it is requested at most once a minute. */
export const identityTotalQuery = queryOptions({
  queryKey: ['identities', 'total'],
  queryFn: () => request<IdentityTotal>('/api/identities/total'),
  staleTime: TOTAL_FRESH_MS,
  retry: false,
});
