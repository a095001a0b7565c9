import type { OauthClient } from '../../../api/oauth-client-record.ts';
import { listMember, textMember, usesSecret } from '../client-members.ts';
import type { Discovery } from './discovery-query.ts';

/** URL of the discovery document (OpenID Connect Discovery 1.0, 4). */
export const discoveryAddress = ({ issuer }: Discovery): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

/** Settings for an OpenID Connect library, as JSON; the developer fills in the secret. */
export function developerSettings(client: OauthClient, discovery: Discovery): Record<string, unknown> {
  const [redirect] = listMember(client, 'redirect_uris');
  const [afterLogout] = listMember(client, 'post_logout_redirect_uris');
  const method = textMember(client, 'token_endpoint_auth_method') || 'client_secret_basic';
  return {
    issuer: discovery.issuer,
    discovery: discoveryAddress(discovery),
    client_id: client.client_id,
    ...(usesSecret(method) ? { client_secret: 'YOUR_CLIENT_SECRET' } : {}),
    token_endpoint_auth_method: method,
    scope: textMember(client, 'scope'),
    ...(redirect === undefined ? {} : { redirect_uri: redirect, code_challenge_method: 'S256' }),
    ...(afterLogout === undefined ? {} : { post_logout_redirect_uri: afterLogout }),
  };
}
