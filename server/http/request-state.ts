import type { Response } from 'express';
import type { Session } from '../session/session-token.ts';

/** The request's id: in `X-Request-Id`, in the log line, and sent to upstreams. */
export const requestId = (res: Response): string => res.locals.requestId as string;

/** The verified session; only handlers behind `requireSession` may ask. */
export function sessionOf(res: Response): Session {
  const session = res.locals.session as Session | undefined;
  if (session === undefined) throw new Error('no session on this request: the route stands before requireSession');
  return session;
}

/** The verified session where one may be absent (proxies, sign-out). */
export const sessionIfAny = (res: Response): Session | undefined => res.locals.session as Session | undefined;
