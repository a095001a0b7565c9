import { isObject, membersOf } from '../../../shared/json.ts';
import type { SignInFailure } from '../../../shared/session.ts';
import { authorizationPath, callbackOf } from '../../platform.ts';
import { failureOfStatus } from '../../upstream/failure.ts';
import { type ObserveRequest, type UpstreamResponse, upstreamFetch } from '../../upstream/fetch.ts';

/** A sign-in that ended without a session; the operator is told the reason. */
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

  /** For the log, which includes only names and codes of errors. */
  get code(): string {
    return this.reason;
  }
}

/** Seconds, for a response without `expires_in` (RFC 6749, section 5.1 leaves it to the client). */
const DEFAULT_EXPIRES_IN = 3600;

export interface Tokens {
  accessToken: string;
  /** Seconds. */
  expiresIn: number;
}

/** The claims of the userinfo response (OpenID Connect Core, section 5.3) that are used here. */
export interface UserInfo {
  sub: string;
  email: unknown;
  role: unknown;
  traits: Record<string, unknown>;
}

/** The OAuth 2.0 server, used as a public client with PKCE. */
export interface OAuthProvider {
  /** Where the browser goes to sign in. */
  authorizationUrl(parameters: { state: string; challenge: string; prompt?: 'login' }): string;
  /** @throws SignInFailed if refused, UpstreamFailure if unreachable */
  redeemCode(code: string, verifier: string): Promise<Tokens>;
  /** @throws SignInFailed if refused, UpstreamFailure if unreachable */
  userInfo(accessToken: string): Promise<UserInfo>;
}

export function oauthProvider(options: {
  url: string;
  internalUrl: string;
  clientId: string;
  /** The dashboard's public origin. */
  baseUrl: string;
  timeoutMs: number;
  observe?: ObserveRequest | undefined;
}): OAuthProvider {
  const { url, internalUrl, clientId, baseUrl, timeoutMs, observe } = options;
  // Hydra serves userinfo without the prefix of its other endpoints; the path that worked is remembered.
  let userInfoPath = '/oauth2/userinfo';

  function getUserInfo(path: string, accessToken: string): Promise<UpstreamResponse> {
    return upstreamFetch(`${internalUrl}${path}`, {
      headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
      timeoutMs,
      observe,
    });
  }

  return {
    authorizationUrl: (parameters) => url + authorizationPath({ clientId, baseUrl, ...parameters }),

    async redeemCode(code, verifier) {
      const answer = await upstreamFetch(`${internalUrl}/oauth2/token`, {
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
      const body = usable(answer);
      const { access_token: accessToken, expires_in: expiresIn = DEFAULT_EXPIRES_IN } = body;
      if (typeof accessToken !== 'string' || accessToken === '') throw new SignInFailed('provider_refused');
      if (typeof expiresIn !== 'number' || !(expiresIn > 0)) throw new SignInFailed('provider_refused');
      return { accessToken, expiresIn: Math.floor(expiresIn) };
    },

    async userInfo(accessToken) {
      let answer = await getUserInfo(userInfoPath, accessToken);
      if (answer.status === 404) {
        const other = userInfoPath === '/userinfo' ? '/oauth2/userinfo' : '/userinfo';
        answer = await getUserInfo(other, accessToken);
        if (answer.status === 200) userInfoPath = other;
      }
      const { sub, email, role, traits } = usable(answer);
      // Userinfo for a client-credentials token is a 200 without `sub`.
      if (typeof sub !== 'string' || sub === '') throw new SignInFailed('provider_refused');
      return { sub, email, role, traits: membersOf(traits) };
    },
  };
}

/** The JSON object of a 200. A 4xx or a redirect is a refusal; a 5xx or an unreadable body is a server failure. */
function usable(answer: UpstreamResponse): Record<string, unknown> {
  if (answer.status >= 500) throw failureOfStatus(answer);
  if (answer.status !== 200) throw new SignInFailed('provider_refused');
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch (cause) {
    throw new SignInFailed('provider_refused', undefined, cause);
  }
  if (!isObject(body)) throw new SignInFailed('provider_refused');
  return body;
}
