import { createHash, randomBytes } from 'node:crypto';
import type { Signer } from '../../crypto/signer.ts';
import { LOGIN_SECONDS } from '../../session/session-cookie.ts';

const MAX_ATTEMPT = 3;

/** What one attempt to sign in needs: the OAuth `state`, the PKCE verifier (RFC 7636) and what the cookie carries. */
export interface LoginAttempt {
  state: string;
  verifier: string;
  challenge: string;
  sealed: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/**
 * The verifier's cookie is sealed to the state it belongs to, so that a pair planted by a sibling host does not fit.
 * @param signer HMAC with a key derived for this purpose
 * @param now milliseconds since the epoch
 */
export function loginCookie(signer: Signer, now: () => number) {
  return {
    /** @param attempt 1 to 3; the state ends in it, so that a failing sign-in ends instead of going round */
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
    /** The verifier, when the cookie was made for this state and is not too old. */
    open(sealed: unknown, state: string): string | undefined {
      if (typeof sealed !== 'string') return undefined;
      const [verifier, expires, tag, ...rest] = sealed.split('.');
      if (verifier === undefined || expires === undefined || tag === undefined || rest.length > 0) return undefined;
      if (!signer.verify(`${verifier}.${expires}.${sha256(state)}`, tag)) return undefined;
      return Number(expires) * 1000 > now() ? verifier : undefined;
    },
  };
}
export type LoginCookie = ReturnType<typeof loginCookie>;

/** Where a callback whose state does not fit goes on: to a new attempt, and after the third to a page that explains. */
export function afterMismatch(state: unknown): string {
  const attempt = typeof state === 'string' ? /^[\w-]{43}\.([1-3])$/.exec(state)?.[1] : undefined;
  if (attempt === undefined) return '/api/auth/login';
  return Number(attempt) < MAX_ATTEMPT
    ? `/api/auth/login?attempt=${Number(attempt) + 1}`
    : '/sign-in-failed?reason=cookies';
}

/** The attempt's number from the query of the login route; anything else is the first. */
export const attemptOf = (query: unknown): number => (query === '2' || query === '3' ? Number(query) : 1);
