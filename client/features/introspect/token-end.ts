import type { OauthClient } from '../../api/oauth-client-record.ts';
import type { Introspection } from './token-requests.ts';

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
export function endOf(answer: Introspection, client: OauthClient | undefined): TokenEnd | undefined {
  const { client_id: clientId, sub: subject } = answer;
  if (typeof clientId !== 'string' || clientId === '') return undefined;
  if (client?.token_endpoint_auth_method === 'none') return { way: 'revoke', clientId };
  if (typeof subject === 'string' && subject !== '' && subject !== clientId)
    return { way: 'consent', clientId, subject };
  return { way: 'client-tokens', clientId };
}
