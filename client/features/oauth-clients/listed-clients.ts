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
  const query = new URLSearchParams({ page_size: String(pageSize), ...question });
  if (token !== undefined) query.set('page_token', token);
  const response = await send(`${oauthAdmin('/clients')}?${query}`, { signal }).catch((error) => {
    throw token === undefined ? error : refusedToken(error);
  });
  return clientPage(await response.json().catch(() => undefined), response.headers.get('Link') ?? '');
}

function clientPage(body: unknown, link: string): CursorPage<ListedClient> {
  if (!Array.isArray(body) || !body.every((client) => isObject(client) && typeof client.client_id === 'string'))
    throw unreadableAnswer('OAuth server', 'a list of clients');
  return { rows: body.map(listedClient), next: nextToken(link) };
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
