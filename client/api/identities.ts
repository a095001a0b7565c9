import { queryOptions } from '@tanstack/react-query';
import type { IdentityPage, IdentitySearchPage, IdentityTotal, ListedIdentity } from '../../shared/identities.ts';
import { isObject } from '../../shared/json.ts';
import type { CursorPage } from './cursor-page.ts';
import { request } from './request.ts';

/** Key prefix of every page of the list, for invalidation after a write. */
export const IDENTITY_PAGES_KEY = ['identities', 'page'] as const;

/**
 * Asks the index.
 * @throws RequestError with the code `search_not_supported` where there is none, or it has read nothing yet
 */
export const searchIdentities = (question: URLSearchParams, signal: AbortSignal): Promise<IdentitySearchPage> =>
  request<IdentitySearchPage>(`/api/identities/search?${question}`, { signal });

export const asCursorPage = <T extends ListedIdentity>({
  identities,
  has_more,
  next_page_token,
}: Omit<IdentityPage, 'identities'> & { identities: readonly T[] }): CursorPage<T> => ({
  rows: identities.map(asListed),
  next: (has_more && next_page_token) || undefined,
});

/** One malformed row must not take the others off the screen. */
const asListed = <T extends ListedIdentity>(row: T): T => ({ ...row, traits: isObject(row.traits) ? row.traits : {} });

const TOTAL_FRESH_MS = 60_000;

/** Total number of identities. The store counts all its rows for this, so it is requested at most once a minute. */
export const identityTotalQuery = queryOptions({
  queryKey: ['identities', 'total'],
  queryFn: () => request<IdentityTotal>('/api/identities/total'),
  staleTime: TOTAL_FRESH_MS,
  retry: false,
});
