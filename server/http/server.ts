import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { isIP, Server as NetServer } from 'node:net';
import type { Express } from 'express';
import type { Log } from '../log.ts';
import { isLoopbackHost, networkTest } from '../networks.ts';
import { type ConnectionGuard, type ConnectionLimits, guardConnections } from './connection-guard.ts';
import { ApiError, sendError, sendErrorOnSocket } from './errors.ts';
import { createState, type ObserveEnd, type RequestState, requestLog, stateOf } from './request-log.ts';

/**
 * Which `Host` values are served: the public origin's, the configured ones, `localhost` names, single-label names and
 * IP literals. Any other name is a DNS rebinding attack or a mistake. Case, port and a trailing dot are ignored.
 * @returns a test of a `Host` header
 */
export function servedHosts(baseUrl: string, allowedHosts: readonly string[]): (host: string) => boolean {
  const named = new Set([new URL(baseUrl).hostname, ...allowedHosts].map((name) => name.replace(/\.$/, '')));
  return (host) => {
    const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{1,5})?$/i.exec(host);
    const name = match?.[1]?.toLowerCase();
    if (name === undefined || name === '0.0.0.0') return false;
    if (name.startsWith('[')) return isIP(name.slice(1, -1)) === 6 && !/^\[[0:]+\]$/.test(name);
    return named.has(name) || isIP(name) === 4 || isLoopbackHost(name) || !name.includes('.');
  };
}

const closing = (message: string): ApiError =>
  new ApiError('bad_request', { message, headers: { Connection: 'close' } });

/** Load balancers probe with an empty `Host`, or in HTTP/1.0 without any (HAProxy's `option httpchk`). */
export const isHealthProbe = ({ method, url }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && (url === '/api/health' || url?.startsWith('/api/health?') === true);

/**
 * Refuses what Node's parser accepts although other servers read it differently (RFC 9112, sections 2.3, 3.2 and 6.1):
 * no or several `Host` headers, a transfer coding other than `chunked` or in HTTP/1.0, a version other than 1.x.
 */
export function framingError(req: IncomingMessage): ApiError | undefined {
  let hosts = 0;
  const { rawHeaders } = req;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    // Most names are neither; comparing lengths first is cheap.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      // A server that follows HTTP/1.0 would not read the body as chunked.
      if ((rawHeaders[index + 1] as string).toLowerCase() !== 'chunked' || req.httpVersionMinor === 0)
        return closing('The transfer coding is not supported.');
    }
  }
  if (req.httpVersionMajor !== 1) return closing('The HTTP version is not supported.');
  const needless = hosts === 0 && req.httpVersionMinor === 0 && isHealthProbe(req);
  return hosts === 1 || needless ? undefined : closing('The request must have one Host header.');
}

/**
 * Request and response classes whose objects have the prototypes that Express would give them: its own
 * `Object.setPrototypeOf`, which would otherwise dominate a request's cost, changes nothing. Works for one app without
 * mounted sub-apps.
 */
function classesWithPrototypesOf(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

export type HttpServer = ReturnType<typeof createHttpServer>;

const HEADERS_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_SECONDS = 75;

/**
 * The HTTP server around the app: assigns request ids, sets our headers, logs routed requests, refuses requests before
 * routing, and sends our error shape where Node would send its own.
 * @param headers of every response that does not set them itself
 * @param normalise rewrites a request's target before the app sees it
 * @param isServed whether we serve a value of `Host`
 * @param starting handles requests until it is undefined; returns the error to send, if any
 * @param observe called with each request that is logged
 * @param keepAliveSeconds how long a connection may be idle, as responses announce; longer than a load balancer keeps
 * one, so that the balancer closes first
 * @param allowedNetworks peers that may connect; undefined: any
 */
export function createHttpServer(
  app: Express,
  options: {
    headers: ReadonlyMap<string, string>;
    normalise: (req: IncomingMessage) => void;
    isServed: (host: string) => boolean;
    allowedNetworks: readonly string[] | undefined;
    isDraining: () => boolean;
    starting?: () => ((req: IncomingMessage, res: ServerResponse) => ApiError | undefined) | undefined;
    log: Log;
    observe?: ObserveEnd | undefined;
    headersTimeoutMs?: number;
    keepAliveSeconds?: number;
    limits?: Partial<ConnectionLimits>;
  },
) {
  const { headers, normalise, isServed, isDraining, log, keepAliveSeconds = KEEP_ALIVE_SECONDS } = options;
  const keepAliveTimeout = keepAliveSeconds * 1000;

  function begin(res: ServerResponse): RequestState {
    const state = createState(res);
    res.setHeader('X-Request-Id', state.requestId);
    for (const [name, value] of headers) res.setHeader(name, value);
    return state;
  }

  const refuse = (req: IncomingMessage, res: ServerResponse, error: ApiError): void => {
    const id = begin(res).requestId;
    log.info({ id, method: req.method, status: error.status, error: error.code }, 'refused before routing');
    sendError(req, res, error);
  };

  let guard: ConnectionGuard;
  let inFlight = 0;

  function handle(req: IncomingMessage, res: ServerResponse): void {
    if (isDraining()) res.setHeader('Connection', 'close');
    const starting = options.starting?.();
    const error = framingError(req);
    const host = req.headers.host ?? '';
    if (error !== undefined) refuse(req, res, error);
    else if (!isServed(host) && !(host === '' && isHealthProbe(req)))
      refuse(req, res, new ApiError('misdirected_request'));
    else if (starting !== undefined) {
      begin(res);
      const refusal = starting(req, res);
      if (refusal !== undefined) sendError(req, res, refusal);
    } else {
      begin(res).routed = true;
      inFlight += 1;
      normalise(req);
      app(req, res);
    }
  }

  const server = createServer(
    {
      ...classesWithPrototypesOf(app),
      maxHeaderSize: 16_384,
      // `framingError` checks it, to respond in our error shape.
      requireHostHeader: false,
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      // A streamed upload may take any time while it makes progress; JSON bodies have their own timeout.
      requestTimeout: 0,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout,
    },
    (req, res) => guard.inTurn(req, res, handle),
  );
  // By default, Node silently drops headers beyond a maximum number. Their total size is limited anyway.
  server.maxHeadersCount = 0;
  const logged = requestLog(log, options.observe) as (req: IncomingMessage, res: ServerResponse) => void;
  const closed = (req: IncomingMessage, res: ServerResponse): void => {
    if (stateOf(res)?.routed) inFlight -= 1;
    logged(req, res);
  };
  guard = guardConnections(server, { log, closed, limits: { idleMs: keepAliveTimeout, ...options.limits } });

  server.on('checkExpectation', (req, res) =>
    guard.inTurn(req, res, () => refuse(req, res, new ApiError('expectation_failed'))),
  );
  server.on('connect', (_req, socket) => {
    sendErrorOnSocket(socket, new ApiError('method_not_allowed', { headers: { Allow: 'GET' } }), randomUUID());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = guard.latestResponse(socket);
    const isResponding =
      response?.headersSent === true && (!response.writableFinished || response.getHeader('Connection') === 'close');
    if (error.code === 'ECONNRESET' || isResponding) return void socket.destroy();
    const id = randomUUID();
    log.info({ id, error }, 'unreadable request');
    sendErrorOnSocket(socket, parserError(error.code), id);
  });
  if (options.allowedNetworks !== undefined) {
    const isAllowed = networkTest(options.allowedNetworks);
    server.on('connection', (socket) => {
      if (!isAllowed(socket.remoteAddress)) socket.destroy();
    });
  }
  // Unlike `close` and `closeIdleConnections`, these do not truncate responses that clients have not read yet.
  return Object.assign(server, {
    /** Closes the listener and idle connections. */
    stopAccepting: (): void => {
      NetServer.prototype.close.call(server);
      guard.endIdle();
    },
    endIdle: guard.endIdle,
    /** Requests in the app whose response has not ended. */
    requestsInFlight: (): number => inFlight,
  });
}

function parserError(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('request_timeout');
  return new ApiError('bad_request');
}
