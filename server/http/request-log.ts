import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import type { Log } from '../log/log.ts';

/** Path segments that are words of our own routes and of the proxied APIs; every other segment may be an identifier. */
const API_WORDS = new Set([
  ...UPSTREAM_NAMES,
  ...`audit callback chain config connections credentials dashboard encrypt geo health identities layout locked-accounts names
  operators posture revocations security services session session-locations settings social statistics total unlock
  admin accept active alive auth batch by clients code consent courier device extend external
  introspect jwt-bearer keys lifespans link login logout messages oauth2 openid-configuration ready
  recovery register reject requests revoke schemas self-service sessions token tokens trust userinfo
  verification version whoami .well-known jwks.json browser flows registration errors api grants issuers`.split(/\s+/),
]);

/** The request's id: in `X-Request-Id`, in the log line, and sent to upstreams. */
export const requestId = (res: Response): string => res.locals.requestId as string;

/**
 * Gives every request an id and one log line when it has ended: the route's pattern, status and milliseconds;
 * never a query, a body, a cookie or a value of the path.
 */
export function requestLog(log: Log): RequestHandler {
  return (req, res, next) => {
    const id = randomUUID();
    const started = performance.now();
    res.locals.requestId = id;
    res.setHeader('X-Request-Id', id);
    // `close` comes once, after a whole answer as after an aborted one.
    res.once('close', () => {
      const line = {
        id,
        method: req.method,
        route: routePattern(req, res),
        status: res.statusCode,
        ms: Math.round((performance.now() - started) * 10) / 10,
        ...(res.statusCode === 401 ? (res.locals.closed as Closed | undefined) : {}),
        ...(res.writableFinished ? {} : { aborted: true }),
      };
      // Probes come every second and say nothing while all is as it should be.
      const expected = res.statusCode < 500 || res.locals.expectedFailure === true;
      if (!expected) log.warn(line, 'request');
      else if (line.route === '/api/health') log.debug(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };
}

/** Why a prefix was closed to a caller; neither text holds a value of the request. */
interface Closed {
  decidedBy: string;
  reason: string;
}

/** Has the line of a request that ends with 401 say why. */
export const noteClosed = (res: Response, closed: Closed): void => void Object.assign(res.locals, { closed });

/** Stands first behind a path of `app.use`: Express forgets where a router was mounted once an error has left it. */
export const mountedAt =
  (path: string): RequestHandler =>
  (_req, res, next) => {
    res.locals.mountedAt = path;
    next();
  };

/** The pattern of the route that took the request; of one that was refused before, its path with identifiers blanked. */
function routePattern(req: Request, res: Response): string {
  const pattern: unknown = req.route?.path;
  const mount = (res.locals.mountedAt as string | undefined) ?? req.baseUrl;
  if (typeof pattern === 'string') return `${mount}${pattern === '/' && mount ? '' : pattern}`;
  const path = req.originalUrl.split('?', 1)[0] ?? '';
  if (!path.startsWith('/api/')) return '(page)';
  const segments = path.split('/').slice(2);
  return `/api/${segments.map((segment) => (API_WORDS.has(segment) ? segment : '*')).join('/')}`;
}
