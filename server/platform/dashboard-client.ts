/** What the dashboard asks for at sign-in. */
export const SCOPES: readonly string[] = ['openid', 'profile', 'email'];

/** Where the OAuth 2.0 server sends operators back to. @param baseUrl the public origin, without trailing slash */
export const callbackOf = (baseUrl: string): string => `${baseUrl}/api/auth/callback`;

/** An authorization request with PKCE (RFC 6749, section 4.1.1; RFC 7636, section 4.3). @param baseUrl of the dashboard */
export function authorizationPath(parameters: {
  clientId: string;
  baseUrl: string;
  state: string;
  challenge: string;
  prompt?: 'login' | undefined;
}): string {
  const { clientId, baseUrl, state, challenge, prompt } = parameters;
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    scope: SCOPES.join(' '),
    redirect_uri: callbackOf(baseUrl),
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(prompt === undefined ? {} : { prompt }),
  });
  return `/oauth2/auth?${query}`;
}

/**
 * The dashboard's OAuth 2.0 client as Hydra's `POST /admin/clients` takes it: public, authorization code with PKCE, and
 * nothing beyond that.
 */
export const dashboardClient = (clientId: string, baseUrl: string) => ({
  client_id: clientId,
  client_name: 'Dashboard',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  scope: SCOPES.join(' '),
  redirect_uris: [callbackOf(baseUrl)],
  post_logout_redirect_uris: [`${baseUrl}/`],
  skip_consent: true,
  skip_logout_consent: true,
});
