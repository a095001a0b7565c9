import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { sessionCookieOf } from './session-cookie.ts';
import type { Session, SessionTokens } from './session-token.ts';

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

/** Whether the operator may see values in plain text. False unless the gate has said so for this route. */
export const mayDecrypt = (res: Response): boolean => res.locals.mayDecrypt === true;

/** Stores for this request that the operator has the capability that the route names to decrypt. */
export function allowDecryption(res: Response): void {
  res.locals.mayDecrypt = true;
}

/**
 * The result of verifying a request's cookie. `stale`: no session, and the cookie is to be deleted. `none`: no session
 * and nothing to delete (no cookie, or two different ones, either of which might be the right one).
 */
export type SessionVerdict = Session | 'none' | 'stale';

/** Why a cookie is refused: it has expired or is not signed by us, its session was revoked, or its operator is gone. */
export type RefusedSession = 'invalid' | 'revoked' | 'gone';

export type SessionVerifier = (req: IncomingMessage) => Promise<SessionVerdict>;

/**
 * Verifies signature, deployment, expiry, revocation, and whether the operator still exists, in this order.
 * @param refused called for each refused cookie
 */
export function sessionVerifier(
  tokens: SessionTokens,
  revocations: { isRevoked(session: Session): boolean },
  operatorCheck: { isPresent(identityId: string): Promise<boolean> },
  refused?: (reason: RefusedSession) => void,
): SessionVerifier {
  /** Every check except whether the operator still exists. */
  function signed(req: IncomingMessage): SessionVerdict {
    const cookie = sessionCookieOf(req);
    if (cookie === undefined || typeof cookie === 'object') return 'none';
    const session = tokens.read(cookie);
    if (session === undefined) return stale('invalid');
    return revocations.isRevoked(session) ? stale('revoked') : session;
  }

  function stale(reason: RefusedSession): 'stale' {
    refused?.(reason);
    return 'stale';
  }

  return async (req) => {
    const verdict = signed(req);
    if (typeof verdict === 'string') return verdict;
    return (await operatorCheck.isPresent(verdict.identityId)) ? verdict : stale('gone');
  };
}
