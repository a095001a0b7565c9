import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Express } from 'express';
import { networkTest } from '../lib/networks.ts';
import type { Log } from '../log/log.ts';
import { ApiError } from './api-error.ts';
import { type ConnectionGuard, type ConnectionLimits, guardConnections } from './connection-guard.ts';
import { sendError, sendErrorOnSocket } from './error-handler.ts';
import { expressPrototypes } from './express-prototypes.ts';
import { framingError } from './framing.ts';
import { addOwnHeaders } from './own-headers.ts';
import { type ObserveEnd, requestLog } from './request-log.ts';
import { keepState } from './request-state.ts';

const HEADERS_TIMEOUT_MS = 15_000;

/**
 * The HTTP server around the app: gives each request its id, each response our headers and each routed request its log
 * line, refuses requests before routing, and writes our error shape where Node would write its own.
 * @param headers of every response, names and values in turn; none by default
 * @param isServed whether we serve a value of `Host`
 * @param observe called with each request that is logged
 * @param allowedNetworks peers that may connect; undefined: any
 */
export function createHttpServer(
  app: Express,
  options: {
    headers?: readonly string[];
    isServed: (host: string) => boolean;
    allowedNetworks: readonly string[] | undefined;
    isDraining: () => boolean;
    log: Log;
    observe?: ObserveEnd | undefined;
    headersTimeoutMs?: number;
    limits?: Partial<ConnectionLimits>;
  },
): Server {
  const { isServed, isDraining, log } = options;

  const refuse = (req: IncomingMessage, res: ServerResponse, error: ApiError): void => {
    const id = keepState(res).requestId;
    log.info({ id, method: req.method, status: error.status, error: error.code }, 'refused before routing');
    sendError(req, res, error);
  };

  let guard: ConnectionGuard;

  function handle(req: IncomingMessage, res: ServerResponse): void {
    if (isDraining()) res.setHeader('Connection', 'close');
    const error = framingError(req);
    if (error !== undefined) refuse(req, res, error);
    else if (!isServed(req.headers.host ?? '')) refuse(req, res, new ApiError('misdirected_request'));
    else {
      keepState(res).routed = true;
      app(req, res);
    }
  }

  addOwnHeaders(app.response, options.headers ?? []);
  const server = createServer(
    {
      ...expressPrototypes(app),
      maxHeaderSize: 16_384,
      // framing.ts checks it, to respond in our error shape.
      requireHostHeader: false,
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      // A streamed upload may take any time while it makes progress; JSON bodies have their own timeout.
      requestTimeout: 0,
      connectionsCheckingInterval: 1000,
      // Longer than a load balancer's idle timeout, so that the balancer closes first.
      keepAliveTimeout: 75_000,
    },
    (req, res) => guard.inTurn(req, res, handle),
  );
  // By default, Node silently drops headers above a number. Their total size is limited anyway.
  server.maxHeadersCount = 0;
  // The library of the proxies listens for its end, twice for each prefix: no leak, for there are six.
  server.setMaxListeners(32);
  const closed = requestLog(log, options.observe) as (req: IncomingMessage, res: ServerResponse) => void;
  guard = guardConnections(server, { log, closed, limits: options.limits });
  // Node's version, which `close` calls too, truncates responses that clients have not read yet.
  server.closeIdleConnections = guard.endIdle;

  server.on('checkExpectation', (req, res) =>
    guard.inTurn(req, res, () => refuse(req, res, new ApiError('expectation_failed'))),
  );
  server.on('connect', (_req, socket) => {
    sendErrorOnSocket(socket, new ApiError('method_not_allowed', { headers: { Allow: 'GET' } }), randomUUID());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = guard.latestAnswer(socket);
    const answering =
      answer?.headersSent === true && (!answer.writableFinished || answer.getHeader('Connection') === 'close');
    if (error.code === 'ECONNRESET' || answering) return void socket.destroy();
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
  return server;
}

function parserError(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('headers_too_large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('request_timeout');
  return new ApiError('bad_request');
}
