import { isObject, type JsonObject } from '../../../shared/json.ts';
import type { OauthClient } from '../../api/oauth-clients.ts';
import { oauthAdmin, request, unreadableResponse } from '../../api/request.ts';

/** Introspection response (RFC 7662, 2.2). An inactive token has only `active`. */
export interface Introspection extends JsonObject {
  active: boolean;
}

/** Sends the token in the request's body; the response is never cached. */
export async function introspect(token: string): Promise<Introspection> {
  const body = await request<unknown>(oauthAdmin('/oauth2/introspect'), { method: 'POST', form: { token } });
  if (isObject(body) && typeof body.active === 'boolean') return body as Introspection;
  throw unreadableResponse('OAuth server', 'an introspection');
}

/** Removes whitespace, quotes, and the name and scheme of an `Authorization` header from a pasted token. */
export const tokenIn = (pasted: string): string =>
  pasted
    .trim()
    .replace(/^(?:authorization:\s*)?bearer\s+/i, '')
    .replace(/^["'`]+|(?<!["'`,;])["'`,;]+$/g, '')
    .replace(/\s+/g, '');

export type TokenEnd =
  | { way: 'revoke'; clientId: string }
  | { way: 'consent'; clientId: string; subject: string }
  | { way: 'client-tokens'; clientId: string };

/**
 * A client must authenticate to revoke one of its tokens (RFC 7009, 2.1); a public client needs only its id. For other
 * clients, the consent can be revoked instead or, without a consent, all access tokens of the client.
 * @returns undefined if the response names no client
 */
export function endOf(response: Introspection, client: OauthClient | undefined): TokenEnd | undefined {
  const { client_id: clientId, sub: subject } = response;
  if (typeof clientId !== 'string' || clientId === '') return undefined;
  if (client?.token_endpoint_auth_method === 'none') return { way: 'revoke', clientId };
  if (typeof subject === 'string' && subject !== '' && subject !== clientId)
    return { way: 'consent', clientId, subject };
  return { way: 'client-tokens', clientId };
}
