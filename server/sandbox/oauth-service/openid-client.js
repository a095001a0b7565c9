const SUPPORTED_GRANTS = ['authorization_code', 'refresh_token', 'client_credentials'];
const SUPPORTED_METHODS = ['none', 'client_secret_basic', 'client_secret_post'];
/**
 * A registered client in the OpenID provider's terms; what the provider does not have is left out. The stored hash
 * stands in the place of the secret: the provider is told to compare hashes.
 */
export function openidClient({ document, secretHash }) {
  const { client_id, client_name, redirect_uris, post_logout_redirect_uris, scope, token_endpoint_auth_method } =
    document;
  if (!SUPPORTED_METHODS.includes(token_endpoint_auth_method)) return undefined;
  const grant_types = document.grant_types.filter((grant) => SUPPORTED_GRANTS.includes(grant));
  const withCode = grant_types.includes('authorization_code');
  return {
    client_id,
    client_name: client_name || client_id,
    ...(secretHash === null ? {} : { client_secret: secretHash }),
    application_type: redirect_uris.some((uri) => !/^https?:/.test(uri)) ? 'native' : 'web',
    token_endpoint_auth_method: token_endpoint_auth_method,
    grant_types,
    response_types: withCode ? ['code'] : [],
    redirect_uris: withCode ? redirect_uris : [],
    ...(withCode && post_logout_redirect_uris ? { post_logout_redirect_uris } : {}),
    ...(scopeOf(scope) === '' ? {} : { scope: scopeOf(scope) }),
  };
}
/** Scopes that the provider does not know would make the client invalid. */
const scopeOf = (scope) =>
  scope
    .split(' ')
    .filter((name) => ['openid', 'offline_access', 'email', 'profile'].includes(name))
    .join(' ');
