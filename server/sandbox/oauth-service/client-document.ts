/** A client as returned by the admin port, without its secret. */
export interface ClientDocument {
  client_id: string;
  client_name: string;
  redirect_uris: string[];
  grant_types: string[];
  response_types: string[];
  scope: string;
  audience: string[];
  owner: string;
  policy_uri: string;
  allowed_cors_origins: string[];
  tos_uri: string;
  client_uri: string;
  logo_uri: string;
  contacts: string[];
  client_secret_expires_at: number;
  subject_type: string;
  sector_identifier_uri?: string;
  jwks_uri?: string;
  jwks: unknown;
  token_endpoint_auth_method: string;
  token_endpoint_auth_signing_alg?: string;
  request_uris?: string[];
  request_object_signing_alg?: string;
  userinfo_signed_response_alg: string;
  created_at: string;
  updated_at: string;
  frontchannel_logout_uri?: string;
  frontchannel_logout_session_required?: boolean;
  backchannel_logout_uri?: string;
  backchannel_logout_session_required?: boolean;
  post_logout_redirect_uris?: string[];
  metadata: unknown;
  access_token_strategy?: string;
  skip_consent: boolean;
  skip_logout_consent: boolean | null;
  /** The twelve `*_lifespan` members. */
  [lifespan: `${string}_lifespan`]: string | null;
}

export const LIFESPANS = [
  'authorization_code_grant_access_token_lifespan',
  'authorization_code_grant_id_token_lifespan',
  'authorization_code_grant_refresh_token_lifespan',
  'client_credentials_grant_access_token_lifespan',
  'implicit_grant_access_token_lifespan',
  'implicit_grant_id_token_lifespan',
  'jwt_bearer_grant_access_token_lifespan',
  'refresh_token_grant_id_token_lifespan',
  'refresh_token_grant_access_token_lifespan',
  'refresh_token_grant_refresh_token_lifespan',
  'device_authorization_grant_id_token_lifespan',
  'device_authorization_grant_access_token_lifespan',
  'device_authorization_grant_refresh_token_lifespan',
] as const;

/** Lists that are null in the response to a write that did not include them. */
export const NULLABLE_LISTS = ['redirect_uris', 'grant_types', 'response_types', 'contacts'] as const;
