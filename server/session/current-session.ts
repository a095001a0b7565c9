import type { Response } from 'express';
import type { Session } from './session-token.ts';

/** The verified session; only for handlers behind `requireSession`. */
export function sessionOf(res: Response): Session {
  const session = sessionIfAny(res);
  if (session === undefined) throw new Error('no session on this request: the route is mounted before requireSession');
  return session;
}

/** The verified session, where it is optional (proxies, sign-out). */
export const sessionIfAny = (res: Response): Session | undefined => res.locals.session as Session | undefined;

/** Stores the session that the gate has verified for this request. */
export function setSession(res: Response, session: Session): void {
  res.locals.session = session;
}
