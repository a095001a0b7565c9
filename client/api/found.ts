import { queryOptions } from '@tanstack/react-query';
import type { ClientSearchPage } from '../../shared/client-search.ts';
import type { IdentitySearchPage } from '../../shared/identities.ts';
import { withMarks } from './identity-marks.ts';
import { request } from './request.ts';
import { RequestError } from './request-error.ts';

/** How many of each kind are shown. */
export const FOUND_MAX = 5;

/**
 * The first identities with this text in any part of an identifier or trait; null where nothing is indexed. Each
 * question leaves an audit record, so it is never repeated by itself.
 */
export const foundIdentitiesQuery = (text: string) =>
  queryOptions({
    queryKey: ['identities', 'found', text],
    queryFn: ({ client, signal }) =>
      withMarks(client, found<IdentitySearchPage>('/api/identities/search', text, signal)),
    retry: false,
  });

/** The same of OAuth2 clients, by any part of name, id or owner. */
export const foundClientsQuery = (text: string) =>
  queryOptions({
    queryKey: ['oauth-clients', 'found', text],
    queryFn: ({ signal }) => found<ClientSearchPage>('/api/oauth-clients/search', text, signal),
    retry: false,
  });

const found = <T>(path: string, text: string, signal: AbortSignal): Promise<T | null> =>
  request<T>(`${path}?${new URLSearchParams({ q: text, page_size: String(FOUND_MAX) })}`, { signal }).catch((error) => {
    if (error instanceof RequestError && error.code === 'search_not_supported') return null;
    throw error;
  });
