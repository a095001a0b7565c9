import type { OauthClient } from '../../api/oauth-client-record.ts';
import type { Introspection } from '../../api/oauth-tokens.ts';

/** By which way a token can be ended from here. */
export type TokenEnd =
  | { way: 'revoke'; clientId: string }
  | { way: 'consent'; clientId: string; subject: string }
  | { way: 'client-tokens'; clientId: string };

/**
 * A single token is ended by its client alone, which has to authenticate for it (RFC 7009, 2.1): a public client does so
 * by its id. Of another one the consent can be withdrawn; where nobody consented, all of its access tokens can be ended.
 * @returns undefined where the answer names no client
 */
export function endOf(answer: Introspection, client: OauthClient | undefined): TokenEnd | undefined {
  const { client_id: clientId, sub: subject } = answer;
  if (typeof clientId !== 'string' || clientId === '') return undefined;
  if (client?.token_endpoint_auth_method === 'none') return { way: 'revoke', clientId };
  if (typeof subject === 'string' && subject !== '' && subject !== clientId)
    return { way: 'consent', clientId, subject };
  return { way: 'client-tokens', clientId };
}
