import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Log } from '../log/log.ts';
import { ApiError } from './api-error.ts';

/** A larger rest of a refused request's body is not waited for: the connection closes instead. */
const DRAIN_MAX_BYTES = 65_536;
/** How long a caller that is still sending gets to read the answer. */
const LINGER_MS = 2_000;
/** A refused connection is closed after this time whatever its caller does. */
const REFUSED_MS = 5_000;

/**
 * Writes an error in the one shape (docs/api.md#errors). Only this module writes error bodies.
 * A request whose unread body is large, or of unknown length, ends its connection.
 */
export function sendError(req: IncomingMessage, res: ServerResponse, error: ApiError): void {
  const body = JSON.stringify(error.body);
  res.statusCode = error.status;
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  if (!req.complete && (req.headers['transfer-encoding'] || Number(req.headers['content-length']) > DRAIN_MAX_BYTES))
    closeInStages(req, res);
  res.end(req.method === 'HEAD' ? undefined : body);
}

/**
 * Half-closes, goes on discarding what arrives, and closes after a while (RFC 9112, section 9.6): closing at once would
 * reset the connection and take the answer away from a caller that is still sending.
 */
function closeInStages({ socket }: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Connection', 'close');
  // What Node calls on the socket when the last answer on it has been written.
  socket.destroySoon = () => {
    socket.end();
    closeWithin(socket, LINGER_MS);
  };
  closeWithin(socket, REFUSED_MS);
}

function closeWithin(socket: Duplex, milliseconds: number): void {
  const timer = setTimeout(() => socket.destroy(), milliseconds).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** The same shape for a socket on which no request could be parsed; closes it. */
export function sendErrorOnSocket(socket: Duplex, error: ApiError, requestId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(error.body);
  socket.end(
    `HTTP/1.1 ${error.status} Error\r\nX-Request-Id: ${requestId}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n` +
      Object.entries(error.headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('') +
      `\r\n${body}`,
  );
  // What still arrives is dropped, or the caller's end would never be seen.
  socket.resume();
  closeWithin(socket, REFUSED_MS);
}

/** `GET /api/auth/session` alone answers with the older body of a single member (docs/api.md#errors). */
export function sendNotAuthenticated(res: ServerResponse): void {
  res.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":"Not authenticated"}');
}

/** The last handler of the gate: what no route took. */
export const noSuchRoute: RequestHandler = (_req, _res, next) => next(new ApiError('not_found'));

/**
 * Turns whatever a handler threw into the one error shape; what was unexpected is logged under the request's id.
 * @param isUnavailable tells that an error means the database is away: 503, wherever it shows
 */
export function errorHandler(log: Log, isUnavailable: (error: unknown) => boolean): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = isUnavailable(thrown)
      ? new ApiError('service_unavailable', { cause: thrown, headers: { 'Retry-After': '5' } })
      : toApiError(thrown);
    if (error.expected) res.locals.expectedFailure = true;
    else if (error.status >= 500)
      log.error({ id: res.locals.requestId, status: error.status, error: thrown }, 'request failed');
    if (res.headersSent) {
      // A body that began cannot be taken back: the caller must see that it is cut short.
      res.destroy();
      return;
    }
    sendError(req, res, error);
  };
}

/** Errors of Express and its body parser carry a status and a type; anything else is unexpected. */
function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const { status, type } = (thrown ?? {}) as { status?: unknown; type?: unknown };
  const cause = thrown;
  if (type === 'entity.too.large') return new ApiError('payload_too_large', { cause });
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return new ApiError('unsupported_media_type', { cause });
  if (type === 'entity.parse.failed')
    return new ApiError('bad_request', { message: 'The request body is not valid JSON.', cause });
  if (type === 'entity.verify.failed')
    return new ApiError('bad_request', { message: 'The request body is not valid UTF-8.', cause });
  // `URIError` of an undecodable path parameter, an aborted or wrongly sized body.
  if (typeof status === 'number' && status >= 400 && status < 500) return new ApiError('bad_request', { cause });
  return new ApiError('internal_error', { cause });
}
