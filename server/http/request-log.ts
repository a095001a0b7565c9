import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { UPSTREAM_NAMES, upstreamPrefix } from '../../shared/upstreams.ts';
import type { Log } from '../log.ts';

/** Why a prefix was closed to a caller; contains nothing from the request. */
export interface Closed {
  decidedBy: string;
  reason: string;
}

/** A request's state, in Express' `res.locals`. A class, so that all have the same shape and access is cheap. */
export class RequestState {
  /** Sent in `X-Request-Id`, logged, and forwarded to upstreams. */
  readonly requestId: string = randomUUID();
  /** Milliseconds on a monotonic clock. */
  readonly started = performance.now();
  /** Whether it reached the app; only such requests are logged at their end. */
  routed = false;
  /** The verified session (`session/session-verifier.ts`). */
  session: unknown = undefined;
  /** Whom a write concerns (`gate/admin-acts.ts`). */
  concerned: unknown = undefined;
  /** Where the router of the matched route is mounted. */
  mountedAt: string | undefined = undefined;
  /** The reason for a 401 on a prefix. */
  closed: Closed | undefined = undefined;
  /** A 5xx for this request is not an error: the service is shutting down, or refuses a speculative request. */
  expectedFailure = false;
}

/** @returns undefined for a response that the service's server did not create */
export const stateOf = (res: ServerResponse): RequestState | undefined => (res as { locals?: RequestState }).locals;

export function createState(res: ServerResponse): RequestState {
  const state = new RequestState();
  (res as { locals?: RequestState }).locals = state;
  return state;
}

/** Path segments that are fixed words of our routes and of the proxied APIs; any other segment may be an identifier. */
const API_WORDS = new Set([
  ...UPSTREAM_NAMES,
  ...`audit callback chain config connections count coverage credentials dashboard encrypt geo health history identities ids layout locked-accounts names notes
  oauth-clients operators posture records restore revocations search security services session session-locations setting-history
  settings sign-ins social statistics subject-names summary total unlock usage views
  admin accept active alive auth batch by clients code consent courier device extend external
  introspect jwt-bearer keys lifespans link login logout messages oauth2 openid-configuration ready
  recovery register reject requests revoke schemas self-service sessions token tokens trust userinfo
  verification version whoami .well-known jwks.json browser flows registration errors api grants issuers`.split(/\s+/),
]);

/** The request's id, which is sent in `X-Request-Id`, logged, and forwarded to upstreams. */
export const requestId = (res: Response): string => res.locals.requestId as string;

/**
 * Called at the end of a request.
 * @param route the route's pattern: a small, fixed set
 * @param method as the client sent it
 */
export type ObserveEnd = (route: string, method: string, status: number | 'aborted', seconds: number) => void;

/** The trace id in a `traceparent` header (W3C Trace Context, version 00). */
const TRACE = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Writes the one log line of a request at its end: route pattern, status, milliseconds and trace id; never a query, a
 * body, a cookie or a path value.
 * @param observe called with each request that is logged
 */
export function requestLog(log: Log, observe?: ObserveEnd): (req: Request, res: Response) => void {
  return (req, res) => {
    const state = stateOf(res);
    if (state?.routed !== true) return;
    const { statusCode: status } = res;
    const route = routePattern(req, res);
    const closed = status === 401 ? state.closed : undefined;
    const elapsed = performance.now() - state.started;
    const ms = Math.round(elapsed * 10) / 10;
    const { traceparent } = req.headers;
    const trace = typeof traceparent === 'string' ? TRACE.exec(traceparent)?.[1] : undefined;
    // Assembled without a serialiser, since ids, methods and numbers need no escaping, and a route rarely does.
    const line =
      `"id":"${state.requestId}","method":"${req.method}","route":${JSON.stringify(route)},"status":${status},"ms":${ms}` +
      (trace === undefined ? '' : `,"trace":"${trace}"`) +
      (closed === undefined ? '' : `,${JSON.stringify(closed).slice(1, -1)}`) +
      (res.writableFinished ? '' : ',"aborted":true');
    if (status >= 500 && !state.expectedFailure) log.writeFields('warn', line, 'request');
    // Health probes arrive every second, so they are logged only if something is wrong.
    else log.writeFields(route === '/api/health' ? 'debug' : 'info', line, 'request');
    const name = typeof req.route?.path === 'string' ? route : unmatchedRoute(req);
    observe?.(name, req.method, res.writableFinished ? status : 'aborted', elapsed / 1000);
  };
}

/** Makes the log line of a request that ends with 401 include the reason. */
export function noteClosed(res: Response, closed: Closed): void {
  res.locals.closed = closed;
}

/** The first handler after a path in `app.use`: once an error leaves a router, Express forgets where it was mounted. */
export const recordMountPath =
  (path: string): RequestHandler =>
  (_req, res, next) => {
    res.locals.mountedAt = path;
    next();
  };

const PREFIXES = UPSTREAM_NAMES.map(upstreamPrefix);
const ENDS = new Set(['/', '?', '']);

/** The name under which a request without a route of our own is observed. */
const unmatchedRoute = ({ originalUrl: url }: Request): string =>
  url.startsWith('/api/')
    ? (PREFIXES.find((prefix) => url.startsWith(prefix) && ENDS.has(url.charAt(prefix.length))) ?? '(unmatched)')
    : '(page)';

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
