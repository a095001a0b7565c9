import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import type { Log } from '../log/log.ts';

/** Path segments that are fixed words of our routes and of the proxied APIs; any other segment may be an identifier. */
const API_WORDS = new Set([
  ...UPSTREAM_NAMES,
  ...`audit callback chain config connections credentials dashboard encrypt geo health identities layout locked-accounts names
  operators posture revocations security services session session-locations settings social statistics total unlock
  admin accept active alive auth batch by clients code consent courier device extend external
  introspect jwt-bearer keys lifespans link login logout messages oauth2 openid-configuration ready
  recovery register reject requests revoke schemas self-service sessions token tokens trust userinfo
  verification version whoami .well-known jwks.json browser flows registration errors api grants issuers`.split(/\s+/),
]);

/** The request's id: in `X-Request-Id`, in the log line, and forwarded to upstreams. */
export const requestId = (res: Response): string => res.locals.requestId as string;

/**
 * Gives every request an id and one log line at its end: route pattern, status and milliseconds; never a query, a body,
 * a cookie or a path value.
 */
export function requestLog(log: Log): RequestHandler {
  return (req, res, next) => {
    const id = randomUUID();
    const started = performance.now();
    res.locals.requestId = id;
    res.setHeader('X-Request-Id', id);
    // `close` is emitted exactly once, for complete and aborted responses alike.
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
      // Health probes come every second: logged only if something is wrong.
      const expected = res.statusCode < 500 || res.locals.expectedFailure === true;
      if (!expected) log.warn(line, 'request');
      else if (line.route === '/api/health') log.debug(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };
}

/** Why a prefix was closed to a caller; contains nothing from the request. */
interface Closed {
  decidedBy: string;
  reason: string;
}

/** Makes the log line of a request that ends with 401 include the reason. */
export const noteClosed = (res: Response, closed: Closed): void => void Object.assign(res.locals, { closed });

/** Goes first behind a path of `app.use`: once an error has left a router, Express forgets where it was mounted. */
export const mountedAt =
  (path: string): RequestHandler =>
  (_req, res, next) => {
    res.locals.mountedAt = path;
    next();
  };

/** The pattern of the matched route; for a request refused earlier, its path with identifiers replaced. */
function routePattern(req: Request, res: Response): string {
  const pattern: unknown = req.route?.path;
  const mount = (res.locals.mountedAt as string | undefined) ?? req.baseUrl;
  if (typeof pattern === 'string') return `${mount}${pattern === '/' && mount ? '' : pattern}`;
  const path = req.originalUrl.split('?', 1)[0] ?? '';
  if (!path.startsWith('/api/')) return '(page)';
  const segments = path.split('/').slice(2);
  return `/api/${segments.map((segment) => (API_WORDS.has(segment) ? segment : '*')).join('/')}`;
}
