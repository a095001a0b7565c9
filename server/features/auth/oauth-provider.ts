import { isObject, membersOf } from '../../../shared/json.ts';
import type { SignInFailure } from '../../../shared/session.ts';
import { authorizationPath, callbackOf } from '../../registration.ts';
import { failureOfStatus } from '../../upstream/failure.ts';
import { type ObserveRequest, type UpstreamResponse, upstreamFetch } from '../../upstream/fetch.ts';

/** A sign-in that ended without a session; the operator sees the reason. */
export class SignInFailed extends Error {
  readonly reason: SignInFailure;
  /** The refused identity, if known, for the audit record. */
  readonly identityId: string | undefined;

  constructor(reason: SignInFailure, identityId?: string, cause?: unknown) {
    super(`sign-in failed: ${reason}`, { cause });
    this.name = 'SignInFailed';
    this.reason = reason;
    this.identityId = identityId;
  }

  /** Logged, since logs include only the names and codes of errors. */
  get code(): string {
    return this.reason;
  }
}

/** The lifetime in seconds if a response has no `expires_in` (RFC 6749, section 5.1 leaves it to the client). */
const DEFAULT_EXPIRES_IN = 3600;

/** The OAuth 2.0 server, used as a public client with PKCE. Requests throw SignInFailed if refused, or UpstreamFailure. */
export function oauthProvider(options: {
  url: string;
  internalUrl: string;
  clientId: string;
  /** The dashboard's public origin. */
  baseUrl: string;
  timeoutMs: number;
  observe?: ObserveRequest | undefined;
}) {
  const { url, internalUrl, clientId, baseUrl, timeoutMs, observe } = options;
  // Hydra serves userinfo without the prefix of its other endpoints; the path that worked is used first.
  let userInfoPath = '/oauth2/userinfo';

  const getUserInfo = (path: string, accessToken: string) =>
    upstreamFetch(`${internalUrl}${path}`, {
      headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
      timeoutMs,
      observe,
    });

  return {
    /** The address to which the browser is redirected to sign in. */
    authorizationUrl: (parameters: { state: string; challenge: string; prompt?: 'login' | undefined }): string =>
      url + authorizationPath({ clientId, baseUrl, ...parameters }),

    /** @returns the access token, and for how many seconds it is valid */
    async redeemCode(code: string, verifier: string) {
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
    },

    /** The claims of the userinfo response (OpenID Connect Core, section 5.3) that are used here. */
    async userInfo(accessToken: string) {
      let response = await getUserInfo(userInfoPath, accessToken);
      if (response.status === 404) {
        const other = userInfoPath === '/userinfo' ? '/oauth2/userinfo' : '/userinfo';
        response = await getUserInfo(other, accessToken);
        if (response.status === 200) userInfoPath = other;
      }
      const { sub, email, role, traits } = jsonOf(response);
      // For a client-credentials token, userinfo responds with 200 but without `sub`.
      if (typeof sub !== 'string' || sub === '') throw new SignInFailed('provider_refused');
      return { sub, email, role, traits: membersOf(traits) };
    },
  };
}
export type OAuthProvider = ReturnType<typeof oauthProvider>;

/**
 * Returns the JSON object of a 200. A 4xx or a redirect is a refusal; a 5xx or an unreadable body is a server failure.
 */
function jsonOf(response: UpstreamResponse): Record<string, unknown> {
  if (response.status >= 500) throw failureOfStatus(response);
  if (response.status !== 200) throw new SignInFailed('provider_refused');
  let body: unknown;
  try {
    body = JSON.parse(response.text);
  } catch (cause) {
    throw new SignInFailed('provider_refused', undefined, cause);
  }
  if (!isObject(body)) throw new SignInFailed('provider_refused');
  return body;
}
