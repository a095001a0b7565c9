import { queryOptions } from '@tanstack/react-query';
import { isObject, type JsonObject, text, texts } from '../../../shared/json.ts';
import { type CursorPage, nextToken, refusedToken } from '../../api/cursor-page.ts';
import { send } from '../../api/request.ts';
import { unreadableAnswer } from '../../api/request-error.ts';
import { oauthAdmin } from '../../api/upstream-api.ts';

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

/** Parameters of a page of the list. Both filters must match exactly, including case. */
export interface ClientPageParams {
  pageSize: number;
  name?: string | undefined;
  owner?: string | undefined;
  /** Cursor from the previous page, valid for an hour; undefined for the first page. */
  token: string | undefined;
}

/** Key prefix of every page of the list, for invalidation after a write. */
export const CLIENT_PAGES_KEY = ['oauth-clients', 'page'] as const;

export const clientPageQuery = ({ pageSize, name, owner, token }: ClientPageParams) =>
  queryOptions({
    queryKey: [...CLIENT_PAGES_KEY, { pageSize, name, owner, token }],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ page_size: String(pageSize) });
      if (name !== undefined) query.set('client_name', name);
      if (owner !== undefined) query.set('owner', owner);
      if (token !== undefined) query.set('page_token', token);
      const response = await send(`${oauthAdmin('/clients')}?${query}`, { signal }).catch((error) => {
        throw token === undefined ? error : refusedToken(error);
      });
      return clientPage(await response.json().catch(() => undefined), response.headers.get('Link') ?? '');
    },
    retry: false,
  });

function clientPage(body: unknown, link: string): CursorPage<ListedClient> {
  if (!Array.isArray(body) || !body.every((client) => isObject(client) && typeof client.client_id === 'string'))
    throw unreadableAnswer('OAuth server', 'a list of clients');
  return { rows: body.map((client: JsonObject) => listed(client)), next: nextToken(link) };
}

const listed = (client: JsonObject): ListedClient => ({
  id: String(client.client_id),
  name: text(client.client_name),
  owner: text(client.owner),
  grants: texts(client.grant_types),
  authMethod: text(client.token_endpoint_auth_method),
  redirectUris: texts(client.redirect_uris),
  created: text(client.created_at),
});
