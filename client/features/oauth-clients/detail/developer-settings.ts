import type { OauthClient } from '../../../api/oauth-client-record.ts';
import { listMember, textMember, usesSecret } from '../client-words.ts';
import type { Discovery } from './discovery-query.ts';

/** Where the rest of what a library needs can be read (OpenID Connect Discovery 1.0, 4). */
export const discoveryAddress = ({ issuer }: Discovery): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

/** What an OpenID Connect library is set up with, as JSON; the secret is the developer's to fill in. */
export function developerSettings(client: OauthClient, discovery: Discovery): Record<string, unknown> {
  const [redirect] = listMember(client, 'redirect_uris');
  const [afterLogout] = listMember(client, 'post_logout_redirect_uris');
  const method = textMember(client, 'token_endpoint_auth_method') || 'client_secret_basic';
  return {
    issuer: discovery.issuer,
    discovery: discoveryAddress(discovery),
    client_id: client.client_id,
    ...(usesSecret(method) ? { client_secret: 'THE SECRET YOU WERE GIVEN' } : {}),
    token_endpoint_auth_method: method,
    scope: textMember(client, 'scope'),
    ...(redirect === undefined ? {} : { redirect_uri: redirect, code_challenge_method: 'S256' }),
    ...(afterLogout === undefined ? {} : { post_logout_redirect_uri: afterLogout }),
  };
}
