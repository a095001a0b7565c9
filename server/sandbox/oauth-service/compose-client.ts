import { type ClientDocument, LIFESPANS } from './client-document.ts';
import type { ClientInput } from './client-input.ts';

/**
 * A client with all defaults.
 * @param id the client's id, regardless of the request
 * @param at now, ISO 8601
 */
export function composeClient(id: string, input: ClientInput, createdAt: string, at: string): ClientDocument {
  const { client_secret: _hashed, ...given } = input;
  const lifespans = Object.fromEntries(LIFESPANS.map((name) => [name, input[name] ?? null]));
  return {
    client_name: '',
    redirect_uris: [],
    grant_types: [],
    response_types: [],
    scope: 'offline_access offline openid',
    audience: [],
    owner: '',
    policy_uri: '',
    allowed_cors_origins: [],
    tos_uri: '',
    client_uri: '',
    logo_uri: '',
    contacts: [],
    client_secret_expires_at: 0,
    subject_type: 'public',
    jwks: {},
    token_endpoint_auth_method: 'client_secret_basic',
    userinfo_signed_response_alg: 'none',
    metadata: {},
    skip_consent: false,
    skip_logout_consent: null,
    ...given,
    ...lifespans,
    client_id: id,
    created_at: createdAt,
    updated_at: at,
  };
}
