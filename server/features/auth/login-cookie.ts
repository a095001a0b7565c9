import { createHash, randomBytes } from 'node:crypto';
import type { Signer } from '../../crypto/signer.ts';
import { LOGIN_SECONDS } from '../../session/session-cookie.ts';

const MAX_ATTEMPT = 3;
/** Explains what to do about cookies. */
export const COOKIES_PAGE = '/sign-in-failed?reason=cookies';

/** One sign-in attempt: the OAuth `state`, the PKCE verifier (RFC 7636) and the cookie's value. */
export interface LoginAttempt {
  state: string;
  verifier: string;
  challenge: string;
  sealed: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/**
 * The verifier's cookie is bound to its state, so that a pair planted by a sibling host does not fit.
 * @param signer HMAC with a key derived for this purpose
 * @param now milliseconds since the epoch
 */
export function loginCookie(signer: Signer, now: () => number) {
  return {
    /** @param attempt 1 to 3; the state ends in it, so that a failing sign-in stops instead of looping */
    begin(attempt: number): LoginAttempt {
      const state = `${randomBytes(32).toString('base64url')}.${attempt}`;
      const verifier = randomBytes(32).toString('base64url');
      const content = `${verifier}.${Math.floor(now() / 1000) + LOGIN_SECONDS}`;
      return {
        state,
        verifier,
        challenge: sha256(verifier),
        sealed: `${content}.${signer.sign(`${content}.${sha256(state)}`)}`,
      };
    },
    /** The verifier, if the cookie was made for this state and has not expired. */
    open(sealed: string, state: string): string | undefined {
      const [verifier, expires, tag, ...rest] = sealed.split('.');
      if (verifier === undefined || expires === undefined || tag === undefined || rest.length > 0) return undefined;
      if (!signer.verify(`${verifier}.${expires}.${sha256(state)}`, tag)) return undefined;
      return Number(expires) * 1000 > now() ? verifier : undefined;
    },
  };
}
export type LoginCookie = ReturnType<typeof loginCookie>;

/** Where to redirect a callback with a mismatched state: to a new attempt, after the third to a page that explains. */
export function afterMismatch(state: unknown): string {
  const attempt = typeof state === 'string' ? /^[\w-]{43}\.([1-3])$/.exec(state)?.[1] : undefined;
  if (attempt === undefined) return '/api/auth/login';
  return Number(attempt) < MAX_ATTEMPT ? `/api/auth/login?attempt=${Number(attempt) + 1}` : COOKIES_PAGE;
}

/** The attempt number from the query of the login route; defaults to the first. */
export const attemptOf = (query: unknown): number => (query === '2' || query === '3' ? Number(query) : 1);
