import type { Request, RequestHandler, Response } from 'express';
import { ApiError } from '../http/api-error.ts';
import { setSession } from '../session/current-session.ts';
import type { SessionCookies } from '../session/session-cookie.ts';
import type { Session } from '../session/session-token.ts';
import type { SessionVerdict, SessionVerifier } from '../session/session-verifier.ts';
import { isAmbiguous } from './normalise-path.ts';

export interface SessionGate {
  /** 401 `not_authenticated` without a session. */
  requireSession: RequestHandler;
  /** An ambiguous path is nobody's but an admin's: 401 without a session, 403 for a viewer, before anything else. */
  ambiguousNeedsAdmin: RequestHandler;
  /** Demands an admin, then goes on: 401 or 403 otherwise. */
  demandAdmin: RequestHandler;
  /** Remembers the session where there is one and refuses nobody. */
  noteSession: RequestHandler;
}

/** 403 unless the session that `requireSession` found is an admin's. The role comes from the signed cookie alone. */
export const requireAdmin: RequestHandler = (_req, res, next) => {
  const session = res.locals.session as Session | undefined;
  next(session?.role === 'admin' ? undefined : new ApiError('forbidden'));
};

export function sessionGate(verify: SessionVerifier, cookies: SessionCookies): SessionGate {
  /** Calls back at once where the verdict is at hand: no promise on the usual path. */
  function withVerdict(
    req: Request,
    res: Response,
    next: (error: unknown) => void,
    then: (verdict: SessionVerdict) => void,
  ): void {
    const settle = (verdict: SessionVerdict): void => {
      if (typeof verdict === 'object') setSession(res, verdict);
      then(verdict);
    };
    const verdict = verify(req);
    if (verdict instanceof Promise) verdict.then(settle).catch(next);
    else settle(verdict);
  }

  const requireSession: RequestHandler = (req, res, next) =>
    withVerdict(req, res, next, (verdict) => {
      if (typeof verdict === 'object') return next();
      if (verdict === 'stale') cookies.clearSession(res);
      next(new ApiError('not_authenticated'));
    });

  const demandAdmin: RequestHandler = (req, res, next) =>
    requireSession(req, res, (error) => (error === undefined ? requireAdmin(req, res, next) : next(error)));

  return {
    requireSession,
    demandAdmin,
    ambiguousNeedsAdmin: (req, res, next) => (isAmbiguous(res) ? demandAdmin(req, res, next) : next()),
    noteSession: (req, res, next) => withVerdict(req, res, next, () => next()),
  };
}
