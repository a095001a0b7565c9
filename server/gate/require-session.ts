import type { Request, RequestHandler, Response } from 'express';
import { type Capability, can } from '../../shared/capabilities.ts';
import { ApiError, sendError } from '../http/errors.ts';
import { isUnsafeMethod } from '../http/response.ts';
import type { SessionCookies } from '../session/session-cookie.ts';
import type { SessionVerdict, SessionVerifier } from '../session/session-verifier.ts';
import { allowDecryption, sessionIfAny, setSession } from '../session/session-verifier.ts';
import { isAmbiguous } from './normalise-path.ts';

/**
 * The capability that a route requires, or that its query decides, or one for safe methods and another for all others.
 * `decrypt` is one that the route's handlers ask for in addition before they decrypt anything (`mayDecrypt`).
 */
export type Needs =
  | Capability
  | ((req: Request) => Capability)
  | { read: Capability; write: Capability; decrypt?: Capability };

export type SessionGate = ReturnType<typeof sessionGate>;

// Created once and written directly: refusals should be cheap, and `next(error)` would walk every route behind the gate
// on its way to the error handler.
const NOT_AUTHENTICATED = new ApiError('not_authenticated');
const FORBIDDEN = new ApiError('forbidden');

/** 403 unless the role of the session has the capability. The role comes only from the signed cookie. */
export function requireCapability(needs: Needs): RequestHandler {
  const decrypt = typeof needs === 'object' ? needs.decrypt : undefined;
  const needed = (req: Request): Capability => {
    if (typeof needs === 'object') return isUnsafeMethod(req.method) ? needs.write : needs.read;
    return typeof needs === 'string' ? needs : needs(req);
  };
  return (req, res, next) => {
    const role = sessionIfAny(res)?.role;
    if (role === undefined || !can(role, needed(req))) return sendError(req, res, FORBIDDEN);
    if (decrypt !== undefined && can(role, decrypt)) allowDecryption(res);
    next();
  };
}

export function sessionGate(verify: SessionVerifier, cookies: SessionCookies) {
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

  /** 401 `not_authenticated` without a session. */
  const requireSession: RequestHandler = (req, res, next) =>
    withVerdict(req, res, next, (verdict) => {
      if (typeof verdict === 'object') return next();
      if (verdict === 'stale') cookies.clearSession(res);
      sendError(req, res, NOT_AUTHENTICATED);
    });

  /** 401 without a session, 403 for a role without the capability. */
  const demand = (needs: Needs): RequestHandler => {
    const guard = requireCapability(needs);
    return (req, res, next) =>
      requireSession(req, res, (error) => (error === undefined ? guard(req, res, next) : next(error)));
  };
  const demandAnyPath = demand('paths.any');
  /** For ambiguous paths, mounted first: 401 without a session, 403 for a role without `paths.any`. */
  const guardAmbiguous: RequestHandler = (req, res, next) =>
    isAmbiguous(req) ? demandAnyPath(req, res, next) : next();
  /** Sets the session if there is one; never refuses. */
  const noteSession: RequestHandler = (req, res, next) => withVerdict(req, res, next, () => next());
  return { requireSession, demand, guardAmbiguous, noteSession };
}
