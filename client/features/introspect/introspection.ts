import { isObject, type JsonObject } from '../../../shared/json.ts';
import type { OauthClient } from '../../api/oauth-clients.ts';
import { oauthAdmin, request, unreadableResponse } from '../../api/request.ts';

/** Introspection response (RFC 7662, 2.2); for an inactive token only `active`. */
export interface Introspection extends JsonObject {
  active: boolean;
}

/** The token is sent in the request's body, and the response is never cached. */
export async function introspect(token: string): Promise<Introspection> {
  const body = await request<unknown>(oauthAdmin('/oauth2/introspect'), { method: 'POST', form: { token } });
  if (isObject(body) && typeof body.active === 'boolean') return body as Introspection;
  throw unreadableResponse('OAuth server', 'an introspection');
}

/** The token in text pasted from a log or header, without whitespace, quotes and scheme. */
export const tokenIn = (pasted: string): string =>
  pasted
    .trim()
    .replace(/^(?:authorization:\s*)?bearer\s+/i, '')
    .replace(/^["'`]+|(?<!["'`,;])["'`,;]+$/g, '')
    .replace(/\s+/g, '');

/** How a token can be ended from here. */
export type TokenEnd =
  | { way: 'revoke'; clientId: string }
  | { way: 'consent'; clientId: string; subject: string }
  | { way: 'client-tokens'; clientId: string };

/**
 * Only a token's own client can revoke a single token, and has to authenticate for it (RFC 7009, 2.1); for a public
 * client, its id is enough. For other clients the consent can be revoked or, if nobody consented, all access tokens of
 * the client deleted.
 * @returns undefined when the response names no client
 */
export function endOf(response: Introspection, client: OauthClient | undefined): TokenEnd | undefined {
  const { client_id: clientId, sub: subject } = response;
  if (typeof clientId !== 'string' || clientId === '') return undefined;
  if (client?.token_endpoint_auth_method === 'none') return { way: 'revoke', clientId };
  if (typeof subject === 'string' && subject !== '' && subject !== clientId)
    return { way: 'consent', clientId, subject };
  return { way: 'client-tokens', clientId };
}
