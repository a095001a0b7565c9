import type { AdapterPayload } from 'oidc-provider';
import type { ClientDocument } from './client-document.ts';

/** Scopes that the provider knows; others would make the client invalid. */
const KNOWN_SCOPES = ['openid', 'offline_access', 'offline', 'email', 'profile'];

/**
 * A registered client in the OpenID provider's format, for authorization only; undefined if it does not use codes. The
 * provider requires a secret, but never compares it.
 */
export function openidClient(document: ClientDocument): AdapterPayload | undefined {
  const { client_id, client_name, redirect_uris, token_endpoint_auth_method: method } = document;
  if (!document.grant_types.includes('authorization_code')) return undefined;
  const scope = document.scope
    .split(' ')
    .filter((name) => KNOWN_SCOPES.includes(name))
    .join(' ');
  return {
    client_id,
    client_name: client_name || client_id,
    ...(method === 'none' ? {} : { client_secret: 'compared elsewhere' }),
    application_type: redirect_uris.some((uri) => !/^https?:/.test(uri)) ? 'native' : 'web',
    token_endpoint_auth_method: method === 'none' ? 'none' : 'client_secret_basic',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris,
    ...(scope === '' ? {} : { scope }),
  };
}
