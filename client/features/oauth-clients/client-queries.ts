import { queryOptions } from '@tanstack/react-query';
import type { ClientSearchPage } from '../../../shared/client-search.ts';
import { type JsonObject, text, texts } from '../../../shared/json.ts';
import { type CursorPage, readUpstreamPage, refusedToken } from '../../api/cursor-page.ts';
import { oauthAdmin, RequestError, request } from '../../api/request.ts';
import { searchText } from '../../lib/visible-text.ts';
import { type PagedSearch, type ParamsOf, pagedSearch } from '../../list/cursor-list.ts';

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

/** A row of the list of clients. */
export interface ListedClient {
  /** `client_id` */
  id: string;
  /** Empty when not set, like the other texts. */
  name: string;
  owner: string;
  grants: readonly string[];
  authMethod: string;
  redirectUris: readonly string[];
  created: string;
}

/** Key prefix of every page of the list, for invalidation after a write. */
export const CLIENT_PAGES_KEY = ['oauth-clients', 'page'] as const;

/** What Hydra's own list filters by: both must match exactly, including case. */
export interface PlainQuestion {
  client_name?: string;
  owner?: string;
}

/**
 * A page of Hydra's own list, by client id.
 * @param token cursor from the previous page, valid for an hour; undefined for the first page
 */
export async function plainClients(
  question: PlainQuestion,
  pageSize: number,
  token: string | undefined,
  signal: AbortSignal,
): Promise<CursorPage<ListedClient>> {
  const { rows, next } = await readUpstreamPage(
    oauthAdmin('/clients'),
    { page_size: pageSize, ...question, page_token: token },
    ({ client_id }) => typeof client_id === 'string',
    ['OAuth server', 'a list of clients'],
    signal,
  );
  return { rows: rows.map(listedClient), next };
}

export const listedClient = (client: JsonObject): ListedClient => ({
  id: String(client.client_id),
  name: text(client.client_name),
  owner: text(client.owner),
  grants: texts(client.grant_types),
  authMethod: text(client.token_endpoint_auth_method),
  redirectUris: texts(client.redirect_uris),
  created: text(client.created_at),
});

/** Before the cursors of Hydra's own lists, which mean nothing to the index. */
const PLAIN = /^(name|owner):(.*)$/;

/**
 * Clients with a text in any part of name, owner or client id, found by the index. Where there is none: those whose
 * whole name or owner it is, on pages without `matches`.
 * @param token cursor from the previous page; undefined for the first page
 */
export async function foundClients(
  text: string,
  pageSize: number,
  token: string | undefined,
  signal: AbortSignal,
): Promise<CursorPage<ListedClient>> {
  const [, by, cursor] = PLAIN.exec(token ?? '') ?? [];
  if (by === 'name') return named(text, pageSize, cursor, signal);
  if (by === 'owner') return owned(text, pageSize, cursor, signal);
  const question = new URLSearchParams({ q: text, page_size: String(pageSize) });
  if (token !== undefined) question.set('page_token', token);
  try {
    const answer = await request<ClientSearchPage>(`/api/oauth-clients/search?${question}`, { signal });
    const { complete, clients: read, as_of: asOf } = answer.index;
    return {
      rows: answer.clients.map(listedClient),
      next: answer.next_page_token ?? undefined,
      matches: { total: answer.total, complete, read, asOf },
    };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'search_not_supported') throw error;
    // Of an index that is gone.
    if (token !== undefined) throw refusedToken(error);
    return named(text, pageSize, undefined, signal);
  }
}

/** The last page of those with this name also begins those with this owner. */
async function named(text: string, pageSize: number, token: string | undefined, signal: AbortSignal) {
  const { rows, next } = await plainClients({ client_name: text }, pageSize, token, signal);
  if (next !== undefined) return { rows, next: `name:${next}` };
  const others = await owned(text, pageSize, undefined, signal);
  return { ...others, rows: [...rows, ...others.rows] };
}

async function owned(text: string, pageSize: number, token: string | undefined, signal: AbortSignal) {
  const { rows, next } = await plainClients({ owner: text }, pageSize, token, signal);
  return { rows: rows.filter(({ name }) => name !== text), next: next && `owner:${next}` };
}

export type ClientPageParams = ParamsOf<ClientsSearch>;

/** A page of all clients, or of those that match. */
export const clientPageQuery = (params: ClientPageParams) =>
  queryOptions({
    queryKey: [...CLIENT_PAGES_KEY, params],
    queryFn: async ({ signal }) => {
      const { q, pageSize, token } = params;
      if (q === undefined) return plainClients({}, pageSize, token, signal);
      return foundClients(q, pageSize, token, signal);
    },
    retry: false,
  });
