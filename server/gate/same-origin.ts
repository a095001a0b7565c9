import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { ApiError } from '../http/errors.ts';
import { isUnsafeMethod } from '../http/response.ts';

const ALLOWED = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * Refuses `TRACE`, which would echo injected credentials, and WebSocket upgrades. Other `Upgrade` headers are ignored
 * (RFC 9110, section 7.8). Runs after a route's access checks, so that refused callers learn nothing more.
 */
export const refuseTraceAndWebSocket: RequestHandler = (req, _res, next) => {
  if (req.method === 'TRACE') next(new ApiError('method_not_allowed', { headers: { Allow: ALLOWED } }));
  else if (req.headers.upgrade !== undefined && /\bwebsocket\b/i.test(req.headers.upgrade))
    next(
      new ApiError('bad_request', { message: 'WebSocket is not supported here.', headers: { Connection: 'close' } }),
    );
  else next();
};

/**
 * Whether the request comes from another origin according to the browser: Fetch Metadata (W3C) if present, otherwise
 * `Origin`. Requests without either do not come from a page in a browser.
 * @param ownOrigin the public origin; the request's own `Host` counts as well
 */
export function isForeign(req: IncomingMessage, ownOrigin: string): boolean {
  const site = req.headers['sec-fetch-site'];
  // Our pages send only these values; any that browsers may introduce later count as foreign.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin, host } = req.headers;
  if (origin === undefined || origin === ownOrigin) return false;
  return host === undefined || (origin !== `http://${host}` && origin !== `https://${host}`);
}

/** 403 for a request from a page of another origin. */
export const foreignRequest = (): ApiError =>
  new ApiError('forbidden', { message: 'Requests from other sites are refused.', hint: null });

/** 403 for an unsafe method sent by a foreign page through an operator's browser. */
export function refuseForeignWrites(ownOrigin: string): RequestHandler {
  return (req, _res, next) => {
    if (isUnsafeMethod(req.method) && isForeign(req, ownOrigin)) next(foreignRequest());
    else next();
  };
}
