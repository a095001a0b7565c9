import { queryOptions } from '@tanstack/react-query';
import { type ClientSearchPage, UNUSED_DAYS } from '../../../shared/client-search.ts';
import { type JsonObject, text, texts } from '../../../shared/json.ts';
import type { SignInCoverage } from '../../../shared/sign-ins.ts';
import { type CursorPage, type Matches, readUpstreamPage, refusedToken } from '../../api/cursor-page.ts';
import { clientQuery } from '../../api/oauth-clients.ts';
import { oauthAdmin, RequestError, request, withQuery } from '../../api/request.ts';
import { signInCoverageQuery } from '../../api/sign-ins.ts';
import { dayOf } from '../../lib/format-time.ts';
import { searchText } from '../../lib/visible-text.ts';
import { defineResource, type PagedSearch, type ParamsOf, pagedSearch } from '../../list/resource.ts';
import { timelineSearch } from '../../record/timeline-kinds.ts';
import { IconApps } from '../../ui/shell-icons.tsx';

export const CLIENTS = defineResource({
  to: '/oauth/clients',
  one: 'client',
  many: 'clients',
  title: 'Client',
  label: 'Clients',
  about: 'Applications that may request tokens: their permissions and secrets.',
  icon: IconApps,
  letter: 'c',
  needs: ['clients.read'],
  search: clientsSearch,
  recordSearch: timelineSearch,
  preload: {
    list: (params) => [clientPageQuery(params)],
    record: (id) => (id === '' ? undefined : clientQuery(id)),
  },
});

export const KIND_NAMES = ['web', 'browser', 'native', 'machine', 'device'] as const;
export type KindName = (typeof KIND_NAMES)[number];

/** The kind of application in the URL; undefined if the value names none. */
export const kindIn = (value: unknown): KindName | undefined => KIND_NAMES.find((name) => name === value);

export interface ClientsSearch extends PagedSearch {
  /** Text in any part of the name, owner or client id. */
  q?: string;
  /** Only clients without a token for `UNUSED_DAYS`, or since uses are known. */
  unused?: 'yes';
}

/** Bookmarks from earlier versions have `name` or `owner`; `q` searches both. */
function clientsSearch({ q, name, owner, unused, ...search }: Record<string, unknown>): ClientsSearch {
  const text = searchText(q) ?? searchText(name) ?? searchText(owner);
  return { ...(text !== undefined && { q: text }), ...(unused === 'yes' && { unused }), ...pagedSearch(search) };
}

export type ListedClient = ReturnType<typeof listedClient>;

/** Strings are empty if they are not set. */
const listedClient = (client: JsonObject) => ({
  id: String(client.client_id),
  name: text(client.client_name),
  owner: text(client.owner),
  grants: texts(client.grant_types),
  authMethod: text(client.token_endpoint_auth_method),
  redirectUris: texts(client.redirect_uris),
  created: text(client.created_at),
});

/** Key prefix of all list pages, to invalidate them after a write. */
export const CLIENT_PAGES_KEY = ['oauth-clients', 'page'] as const;

export type ClientPageParams = ParamsOf<ClientsSearch>;

export const clientPageQuery = (params: ClientPageParams) =>
  queryOptions({
    queryKey: [...CLIENT_PAGES_KEY, params],
    queryFn: async ({ signal, client }): Promise<CursorPage<ListedClient>> => {
      const { q, unused, pageSize, token } = params;
      const page = { pageSize, token, signal };
      if (unused === undefined) return q === undefined ? listClients({}, page) : searchClients(q, page);
      const coverage = await client.fetchQuery({ ...signInCoverageQuery, staleTime: JUST_LOADED_MS });
      const found = await searchIndex({ q, unused: 'true' }, page);
      // Not part of the first script, which names each list.
      const { formatReports } = await import('../../lib/sign-in-words.ts');
      const note = `${unusedLabel(coverage)}; newer clients are left out. ${formatReports(coverage, 'oauth')}`;
      return { ...found, mayBeEmpty: true, matches: { ...found.matches, note } };
    },
    retry: false,
  });

const JUST_LOADED_MS = 60_000;

/** "Unused for 90 days"; before that is known, "Unused since 20 Nov 2026". */
export function unusedLabel(coverage: SignInCoverage | undefined, now = Date.now()): string {
  const [since = now] = (coverage?.sources ?? [])
    .filter(({ api }) => api === 'oauth')
    .map((one) => Date.parse(one.since))
    .sort((a, b) => a - b);
  const isLong = since < now - UNUSED_DAYS * 86_400_000;
  return isLong ? `Unused for ${UNUSED_DAYS} days` : `Unused since ${dayOf(new Date(since))}`;
}

interface PageRequest {
  pageSize: number;
  /** The previous page's cursor; undefined for the first page. */
  token: string | undefined;
  signal: AbortSignal;
}

/** A page of Hydra's own list, by client id. @param filter matches exactly, including case */
async function listClients(
  filter: { client_name?: string; owner?: string },
  { pageSize, token, signal }: PageRequest,
): Promise<CursorPage<ListedClient>> {
  const { rows, next } = await readUpstreamPage(
    oauthAdmin('/clients'),
    { page_size: pageSize, ...filter, page_token: token },
    ({ client_id }) => typeof client_id === 'string',
    ['OAuth server', 'a list of clients'],
    signal,
  );
  return { rows: rows.map(listedClient), next };
}

/** The prefix marks cursors of Hydra's own lists, which the index does not understand. */
const LIST_CURSOR = /^(name|owner):(.*)$/;

/**
 * Searches any part of name, owner or client id in the index. Without an index, only whole names and owners match, and
 * the page has no `matches`.
 */
async function searchClients(q: string, page: PageRequest): Promise<CursorPage<ListedClient>> {
  const { token } = page;
  const [, by, cursor] = LIST_CURSOR.exec(token ?? '') ?? [];
  if (by === 'name') return clientsNamed(q, { ...page, token: cursor });
  if (by === 'owner') return clientsOwnedBy(q, { ...page, token: cursor });
  try {
    return await searchIndex({ q }, page);
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'search_not_supported') throw error;
    // The cursor belongs to an index that no longer exists.
    if (token !== undefined) throw refusedToken(error);
    return clientsNamed(q, page);
  }
}

async function searchIndex(
  search: { q: string | undefined; unused?: 'true' },
  { pageSize, token, signal }: PageRequest,
): Promise<CursorPage<ListedClient> & { matches: Matches }> {
  const parameters = { ...search, page_size: pageSize, page_token: token };
  const { clients, next_page_token, total, index } = await request<ClientSearchPage>(
    withQuery('/api/oauth-clients/search', parameters),
    { signal },
  );
  return {
    rows: clients.map(listedClient),
    next: next_page_token ?? undefined,
    matches: { total, complete: index.complete, read: index.clients, asOf: index.as_of },
  };
}

/** The last page of matches by name also has the first matches by owner. */
async function clientsNamed(name: string, page: PageRequest): Promise<CursorPage<ListedClient>> {
  const { rows, next } = await listClients({ client_name: name }, page);
  if (next !== undefined) return { rows, next: `name:${next}` };
  const owned = await clientsOwnedBy(name, { ...page, token: undefined });
  return { ...owned, rows: [...rows, ...owned.rows] };
}

async function clientsOwnedBy(owner: string, page: PageRequest): Promise<CursorPage<ListedClient>> {
  const { rows, next } = await listClients({ owner }, page);
  return { rows: rows.filter(({ name }) => name !== owner), next: next && `owner:${next}` };
}
