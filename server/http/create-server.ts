import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Express } from 'express';
import { networkTest } from '../lib/networks.ts';
import type { Log } from '../log/log.ts';
import { ApiError } from './api-error.ts';
import { type ConnectionGuard, type ConnectionLimits, guardConnections } from './connection-guard.ts';
import { sendError, sendErrorOnSocket } from './error-handler.ts';
import { expressPrototypes } from './express-prototypes.ts';
import { framingError } from './framing.ts';

const HEADERS_TIMEOUT_MS = 15_000;

/**
 * The HTTP server around the app: what must be refused before any route is looked at, and the error shape for what
 * Node would answer by itself.
 * @param isServed whether a `Host` value is ours
 * @param allowedNetworks peers that may connect at all; undefined: any
 */
export function createHttpServer(
  app: Express,
  options: {
    isServed: (host: string) => boolean;
    allowedNetworks: readonly string[] | undefined;
    isDraining: () => boolean;
    log: Log;
    headersTimeoutMs?: number;
    limits?: Partial<ConnectionLimits>;
  },
): Server {
  const { isServed, isDraining, log } = options;

  const refuse = (req: IncomingMessage, res: ServerResponse, error: ApiError): void => {
    const id = randomUUID();
    res.setHeader('X-Request-Id', id);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    log.info({ id, method: req.method, status: error.status, error: error.code }, 'refused before routing');
    sendError(req, res, error);
  };

  let guard: ConnectionGuard;

  const listener: RequestListener = (req, res) =>
    guard.inTurn(req, res, () => {
      if (isDraining()) res.setHeader('Connection', 'close');
      const error = framingError(req);
      if (error !== undefined) refuse(req, res, error);
      else if (!isServed(req.headers.host ?? '')) refuse(req, res, new ApiError('misdirected_request'));
      else app(req, res);
    });

  const server = createServer(
    {
      ...expressPrototypes(app),
      maxHeaderSize: 16_384,
      // Ours, in the one error shape (framing.ts).
      requireHostHeader: false,
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      // A streamed upload may take as long as it makes progress; JSON bodies have a clock of their own.
      requestTimeout: 0,
      connectionsCheckingInterval: 1000,
      // Longer than a balancer's idle time, so that it closes first.
      keepAliveTimeout: 75_000,
    },
    listener,
  );
  // No cut after so many headers: the rest would be dropped in silence. Their size is bounded.
  server.maxHeadersCount = 0;
  guard = guardConnections(server, { log, limits: options.limits });
  // Node's own, which `close` calls too, cuts answers that are handed over and not yet taken by their callers.
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
