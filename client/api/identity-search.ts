import { queryOptions } from '@tanstack/react-query';
import type { ClientSearchPage } from '../../shared/client-search.ts';
import type {
  FoundIdentity,
  IdentityCount,
  IdentityPage,
  IdentitySearchIds,
  IdentitySearchPage,
  ListedIdentity,
} from '../../shared/identities.ts';
import { asCursorPage, IDENTITY_PAGES_KEY, type IdentityPageParams, listIdentities, withMarks } from './identities.ts';
import { identitySearchParams, parseIdentityFilters } from './identity-filters.ts';
import { requestWithClock, type WithClock } from './polling.ts';
import { RequestError, request, withQuery } from './request.ts';

const FRESH_MS = 60_000;

/**
 * How many identities match the search of a list. The response names nobody, so the request leaves no audit record.
 * @param search the URL's search parameters
 * @throws RequestError `search_not_supported` if there is no index, or an index that has read nothing yet
 */
export const identityCountQuery = (search: Record<string, unknown>) => {
  const { sort: _, ...filters } = parseIdentityFilters(search);
  return queryOptions({
    queryKey: ['identities', 'count', filters],
    queryFn: ({ signal }): Promise<WithClock<IdentityCount>> =>
      requestWithClock(`/api/identities/search/count?${identitySearchParams(filters, Date.now())}`, { signal }),
    staleTime: FRESH_MS,
    retry: false,
  });
};

/** Each page is one upstream request and one audit record. No retries: a click must leave only one record. */
export const identityPageQuery = (params: IdentityPageParams) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, params],
    queryFn: ({ client, signal }) => withMarks(client, listIdentities(params, signal)),
    select: asCursorPage,
    retry: false,
  });

/** The identity with exactly this login identifier, if any. Every call leaves an audit record. */
export async function findByIdentifier(identifier: string): Promise<readonly ListedIdentity[]> {
  const path = withQuery('/api/identities', { page_size: 1, credentials_identifier: identifier });
  return (await request<IdentityPage>(path)).identities;
}

/**
 * The ids of all identities that match now. Leaves an audit record.
 * @param search parameters of `GET /api/identities/search`
 * @throws RequestError 400 if there are more than `SEARCH_IDS_MAX`
 */
export const matchingIds = (search: URLSearchParams, signal: AbortSignal): Promise<IdentitySearchIds> =>
  request(`/api/identities/search/ids?${search}`, { signal });

const EACH_MAX = 100;

/**
 * Identities with any of these parts in an identifier or trait. Each part is a search with its own audit record.
 * @returns null without a search index
 */
export async function similarIdentities(parts: readonly string[]): Promise<FoundIdentity[] | null> {
  const found = new Map<string, FoundIdentity>();
  for (const q of parts) {
    const page = await findAny<IdentitySearchPage>('/api/identities/search', q, EACH_MAX);
    if (page === null) return null;
    for (const identity of page.identities) found.set(identity.id, identity);
  }
  return [...found.values()];
}

export const FOUND_MAX = 5;

/**
 * The first identities with this text in an identifier or trait; null without a search index. Never retried, since each
 * search leaves an audit record.
 */
export const foundIdentitiesQuery = (text: string) =>
  queryOptions({
    queryKey: ['identities', 'found', text],
    queryFn: ({ client, signal }) =>
      withMarks(client, findAny<IdentitySearchPage>('/api/identities/search', text, FOUND_MAX, signal)),
    retry: false,
  });

/** The first clients with this text in their name, id or owner; null without a search index. */
export const foundClientsQuery = (text: string) =>
  queryOptions({
    queryKey: ['oauth-clients', 'found', text],
    queryFn: ({ signal }) => findAny<ClientSearchPage>('/api/oauth-clients/search', text, FOUND_MAX, signal),
    retry: false,
  });

/** Null without a search index. */
const findAny = <T>(path: string, q: string, pageSize: number, signal?: AbortSignal): Promise<T | null> =>
  request<T>(withQuery(path, { q, page_size: pageSize }), { signal }).catch((error) => {
    if (error instanceof RequestError && error.code === 'search_not_supported') return null;
    throw error;
  });
