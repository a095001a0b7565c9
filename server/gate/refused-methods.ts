import type { RequestHandler } from 'express';
import { ApiError } from '../http/api-error.ts';

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
