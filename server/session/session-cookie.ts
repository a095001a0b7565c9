import type { IncomingMessage } from 'node:http';
import type { CookieOptions, Response } from 'express';

export const SESSION_COOKIE = 'dashboard-session';
export const STATE_COOKIE = 'oauth_state';
/** How long a sign-in may take. */
export const LOGIN_SECONDS = 600;

const SIGNED_OUT_COOKIE = 'dashboard-signed-out';

/** The dashboard's cookies and their attributes (docs/api.md#sign-in-and-session), wherever one is set or deleted. */
export function sessionCookies(options: { secure: boolean; production: boolean }) {
  const strict: CookieOptions = { httpOnly: true, sameSite: 'strict', secure: options.secure, path: '/' };
  const lax: CookieOptions = { ...strict, sameSite: 'lax' };
  // A `__Host-` cookie cannot be planted by a sibling host; browsers refuse the name over plain http.
  const loginCookie = options.production ? '__Host-dashboard-login' : 'dashboard-login';
  return {
    /** All names, for the proxies: none of these cookies may reach an upstream or be set by one. */
    names: [SESSION_COOKIE, STATE_COOKIE, '__Host-dashboard-login', 'dashboard-login', SIGNED_OUT_COOKIE],
    loginCookie,
    setSession: (res: Response, token: string, maxAgeSeconds: number) =>
      res.cookie(SESSION_COOKIE, token, { ...strict, maxAge: maxAgeSeconds * 1000, encode: String }),
    clearSession: (res: Response) => res.clearCookie(SESSION_COOKIE, strict),
    /** `state` and the sealed verifier are needed on the provider's cross-site redirect, hence Lax. */
    setLogin(res: Response, state: string, sealedVerifier: string) {
      res.cookie(STATE_COOKIE, state, { ...lax, maxAge: LOGIN_SECONDS * 1000 });
      res.cookie(loginCookie, sealedVerifier, { ...lax, maxAge: LOGIN_SECONDS * 1000 });
    },
    clearLogin(res: Response) {
      res.clearCookie(STATE_COOKIE, lax);
      res.clearCookie(loginCookie, lax);
    },
    /** Marks a deliberate sign-out: the next sign-in requires credentials. Kept until a sign-in succeeds. */
    setSignedOut: (res: Response) => res.cookie(SIGNED_OUT_COOKIE, '1', { ...lax, maxAge: 30 * 86_400_000 }),
    isSignedOut: (cookies: Record<string, unknown>) => cookies[SIGNED_OUT_COOKIE] !== undefined,
    clearSignedOut: (res: Response) => res.clearCookie(SIGNED_OUT_COOKIE, lax),
  };
}

export type SessionCookies = ReturnType<typeof sessionCookies>;

/** All values of a cookie, from the raw header: cookie-parser keeps only the first one, and decodes it. */
export function cookieValues({ headers }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (const pair of headers.cookie?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals >= 0 && pair.slice(0, equals).trim() === name) values.push(pair.slice(equals + 1).trim());
  }
  return values;
}

/** @returns the session cookie's value, undefined without one, `conflict` for two different ones */
export function sessionCookieOf(req: IncomingMessage): string | undefined | { conflict: true } {
  const header = req.headers.cookie;
  if (header === undefined || !header.includes(SESSION_COOKIE)) return undefined;
  // The common case: no other cookie.
  if (header.startsWith(`${SESSION_COOKIE}=`) && !header.includes(';'))
    return header.slice(SESSION_COOKIE.length + 1).trim();
  const [value, ...others] = cookieValues(req, SESSION_COOKIE);
  return others.some((other) => other !== value) ? { conflict: true } : value;
}
