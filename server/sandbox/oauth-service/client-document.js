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
];
/** Lists that an answer to a write shows as null when the request did not bring them. */
export const NULLABLE_LISTS = ['redirect_uris', 'grant_types', 'response_types', 'contacts'];
