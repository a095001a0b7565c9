import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Log } from '../log.ts';

/** Path segments that are words of the proxied APIs; every other segment may be an identifier. */
const API_WORDS = new Set(
  `admin accept active alive auth batch by clients code consent courier credentials device extend external health
  identities introspect jwt-bearer keys lifespans link login logout messages oauth2 openid-configuration ready
  recovery register reject requests revoke schemas self-service sessions settings token tokens trust userinfo
  verification version whoami .well-known jwks.json browser flows registration errors api grants issuers`.split(/\s+/),
);

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
        route: routePattern(req),
        status: res.statusCode,
        ms: Math.round((performance.now() - started) * 10) / 10,
        ...(res.writableFinished ? {} : { aborted: true }),
      };
      if (res.statusCode >= 500) log.warn(line, 'request');
      // Probes come every second and say nothing while all is well.
      else if (line.route === '/api/health') log.debug(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };
}

function routePattern(req: Request): string {
  const pattern: unknown = req.route?.path;
  if (typeof pattern === 'string') return `${req.baseUrl}${pattern === '/' && req.baseUrl ? '' : pattern}`;
  const path = req.originalUrl.split('?', 1)[0] ?? '';
  const [prefix = '', ...rest] = path.split('/').slice(2);
  if (!path.startsWith('/api/')) return '(page)';
  return rest.length === 0
    ? '(none)'
    : `/api/${prefix}/${rest.map((part) => (API_WORDS.has(part) ? part : '*')).join('/')}`;
}
