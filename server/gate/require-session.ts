import type { Request, RequestHandler, Response } from 'express';
import { ApiError } from '../http/api-error.ts';
import { sendError } from '../http/error-handler.ts';
import { sessionIfAny, setSession } from '../session/current-session.ts';
import type { SessionCookies } from '../session/session-cookie.ts';
import type { SessionVerdict, SessionVerifier } from '../session/session-verifier.ts';
import { isAmbiguous } from './normalise-path.ts';

export interface SessionGate {
  /** 401 `not_authenticated` without a session. */
  requireSession: RequestHandler;
  /** For ambiguous paths, before anything else: 401 without a session, 403 for a viewer. */
  ambiguousNeedsAdmin: RequestHandler;
  /** 401 without a session, 403 for a viewer. */
  demandAdmin: RequestHandler;
  /** Notes the session if there is one; refuses nobody. */
  noteSession: RequestHandler;
}

// Created once and written directly: refusals should be cheap, and `next(error)` would walk every route behind the gate
// on its way to the error handler.
const NOT_AUTHENTICATED = new ApiError('not_authenticated');
const FORBIDDEN = new ApiError('forbidden');

/** 403 unless the session found by `requireSession` is an admin's. The role comes from the signed cookie only. */
export const requireAdmin: RequestHandler = (req, res, next) => {
  if (sessionIfAny(res)?.role === 'admin') next();
  else sendError(req, res, FORBIDDEN);
};

export function sessionGate(verify: SessionVerifier, cookies: SessionCookies): SessionGate {
  function withVerdict(
    req: Request,
    res: Response,
    next: (error: unknown) => void,
    then: (verdict: SessionVerdict) => void,
  ): void {
    verify(req)
      .then((verdict) => {
        if (typeof verdict === 'object') setSession(res, verdict);
        then(verdict);
      })
      .catch(next);
  }

  const requireSession: RequestHandler = (req, res, next) =>
    withVerdict(req, res, next, (verdict) => {
      if (typeof verdict === 'object') return next();
      if (verdict === 'stale') cookies.clearSession(res);
      sendError(req, res, NOT_AUTHENTICATED);
    });

  const demandAdmin: RequestHandler = (req, res, next) =>
    requireSession(req, res, (error) => (error === undefined ? requireAdmin(req, res, next) : next(error)));

  return {
    requireSession,
    demandAdmin,
    ambiguousNeedsAdmin: (req, res, next) => (isAmbiguous(req) ? demandAdmin(req, res, next) : next()),
    noteSession: (req, res, next) => withVerdict(req, res, next, () => next()),
  };
}
