import { attempt, isObject, type JsonObject } from '../../../shared/json.ts';
import type { OAuthServer } from '../../config/config.ts';
import { authorizationPath, callbackOf } from '../../registration.ts';
import { failureOfStatus } from '../../upstream/failure.ts';
import { type UpstreamResponse, upstreamFetch } from '../../upstream/fetch.ts';
import { DEFAULT_EXPIRES_IN, type Provider, type ProviderOptions, SignInFailed } from './provider.ts';

/** An OAuth 2.0 server such as Hydra, used as a public client with PKCE. */
export function oauthProvider({ url, internalUrl }: OAuthServer, options: ProviderOptions): Provider {
  const { clientId, baseUrl, timeoutMs, observe } = options;
  // Hydra serves userinfo without the prefix of its other endpoints; the path that worked is used first.
  let userInfoPath = '/oauth2/userinfo';

  const getUserInfo = (path: string, accessToken: string) =>
    upstreamFetch(`${internalUrl}${path}`, {
      headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
      timeoutMs,
      observe,
    });

  async function redeemCode(code: string, verifier: string) {
    const response = await upstreamFetch(`${internalUrl}/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: callbackOf(baseUrl),
        client_id: clientId,
        code_verifier: verifier,
      }).toString(),
      timeoutMs,
      observe,
    });
    const { access_token: accessToken, expires_in: expiresIn = DEFAULT_EXPIRES_IN } = jsonOf(response);
    if (typeof accessToken !== 'string' || accessToken === '') throw new SignInFailed('provider_refused');
    if (typeof expiresIn !== 'number' || !(expiresIn > 0)) throw new SignInFailed('provider_refused');
    return { accessToken, expiresIn: Math.floor(expiresIn) };
  }

  /** The userinfo response (OpenID Connect Core, section 5.3). */
  async function userInfo(accessToken: string): Promise<JsonObject> {
    let response = await getUserInfo(userInfoPath, accessToken);
    if (response.status === 404) {
      const other = userInfoPath === '/userinfo' ? '/oauth2/userinfo' : '/userinfo';
      response = await getUserInfo(other, accessToken);
      if (response.status === 200) userInfoPath = other;
    }
    return jsonOf(response);
  }

  return {
    authorizationUrl: async ({ state, challenge, again }) =>
      url + authorizationPath({ clientId, baseUrl, state, challenge, prompt: again ? 'login' : undefined }),
    async redeem({ code, verifier }) {
      const { accessToken, expiresIn } = await redeemCode(code, verifier);
      // The access token is used only here and never stored.
      const claims = await userInfo(accessToken);
      const { sub } = claims;
      // For a client-credentials token, userinfo responds with 200 but without `sub`.
      if (typeof sub !== 'string' || sub === '') throw new SignInFailed('provider_refused');
      return { sub, expiresIn, claimsWith: async () => claims };
    },
    signOutUrl: async () => undefined,
  };
}

/** The JSON object of a 200. A 4xx or a redirect is a refusal; a 5xx or an unreadable body is a server failure. */
function jsonOf(response: UpstreamResponse): Record<string, unknown> {
  if (response.status >= 500) throw failureOfStatus(response);
  if (response.status !== 200) throw new SignInFailed('provider_refused');
  const body = attempt<unknown>(() => JSON.parse(response.text));
  if (!isObject(body)) throw new SignInFailed('provider_refused');
  return body;
}
