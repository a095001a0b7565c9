import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Log } from '../log/log.ts';
import { ApiError } from './api-error.ts';

/** If more of a refused request's body is unread, the connection is closed instead of drained. */
const DRAIN_MAX_BYTES = 65_536;
/** How long a client that is still sending has to read the response. */
const LINGER_MS = 2_000;
/** A refused connection is closed after this time regardless of the client. */
const REFUSED_MS = 5_000;

/**
 * Writes an error in its one shape (docs/api.md#errors). No other module writes error bodies. Closes the connection if
 * the unread rest of the body is large or of unknown length.
 */
export function sendError(req: IncomingMessage, res: ServerResponse, error: ApiError): void {
  const body = error.text;
  // Left over from a head that could not be written.
  res.statusMessage = '';
  for (const name in error.headers) res.setHeader(name, error.headers[name] as string);
  if (!req.complete && (req.headers['transfer-encoding'] || Number(req.headers['content-length']) > DRAIN_MAX_BYTES))
    closeInStages(req, res);
  const length = String(Buffer.byteLength(body));
  res.writeHead(error.status, [
    'Content-Type',
    'application/json',
    'Content-Length',
    length,
    'Cache-Control',
    'no-store',
  ]);
  res.end(req.method === 'HEAD' ? undefined : body);
}

/**
 * Half-closes, keeps discarding input, and closes after a while (RFC 9112, section 9.6): an immediate close would reset
 * the connection, and a client that is still sending would lose the response.
 */
function closeInStages({ socket }: IncomingMessage, res: ServerResponse): void {
  res.setHeader('Connection', 'close');
  // Node calls this on the socket after its last response.
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

/** The same shape for a socket without a parsed request; closes it. */
export function sendErrorOnSocket(socket: Duplex, error: ApiError, requestId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = error.text;
  socket.end(
    `HTTP/1.1 ${error.status} Error\r\nX-Request-Id: ${requestId}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n` +
      Object.entries(error.headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('') +
      `\r\n${body}`,
  );
  // Discard input; otherwise the client's end of stream would go unnoticed.
  socket.resume();
  closeWithin(socket, REFUSED_MS);
}

/** `GET /api/auth/session` is the only route with the older single-member body (docs/api.md#errors). */
export function sendNotAuthenticated(res: ServerResponse): void {
  res.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":"Not authenticated"}');
}

/** The last handler of the gate, for requests that match no route. */
export const noSuchRoute: RequestHandler = (_req, _res, next) => next(new ApiError('not_found'));

/**
 * Turns anything thrown by a handler into the error shape; unexpected errors are logged with the request's id.
 * @param isUnavailable whether an error means that the database is unavailable: 503, wherever it occurs
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
      // A body that has begun cannot be taken back: the client must see that it is truncated.
      res.destroy();
      return;
    }
    sendError(req, res, error);
  };
}

/** Errors of Express and its body parser have a status and a type; anything else is unexpected. */
function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const { status, type } = (thrown ?? {}) as { status?: unknown; type?: unknown };
  const cause = thrown;
  if (type === 'entity.too.large') return new ApiError('payload_too_large', { cause });
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return new ApiError('unsupported_media_type', { cause });
  if (type === 'entity.parse.failed')
    return new ApiError('bad_request', { message: 'The request body is not valid JSON.', cause });
  if (type === 'entity.too.deep')
    return new ApiError('bad_request', { message: 'The request body is nested too deeply.', cause });
  if (type === 'entity.verify.failed')
    return new ApiError('bad_request', { message: 'The request body is not valid UTF-8.', cause });
  // `URIError` for an undecodable path parameter, an aborted or wrongly sized body.
  if (typeof status === 'number' && status >= 400 && status < 500) return new ApiError('bad_request', { cause });
  return new ApiError('internal_error', { cause });
}
