import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { ErrorBody, ErrorCode } from '../../shared/errors.ts';
import type { Log } from '../log.ts';

/** Status and texts of every code (docs/api.md#errors); a hint is included only where it helps. */
const CATALOGUE: Record<ErrorCode, { status: number; message: string; hint?: string }> = {
  bad_request: { status: 400, message: 'The request is not valid.' },
  invalid_page_size: { status: 400, message: 'page_size must be an integer from 1 to 250.' },
  invalid_page_token: { status: 400, message: 'The page token is not valid or no longer valid.' },
  invalid_credentials_identifier: {
    status: 400,
    message: 'credentials_identifier must have at most 255 characters and no control characters.',
  },
  search_not_supported: {
    status: 400,
    message: 'The identity service cannot search by the beginning of an identifier.',
  },
  not_authenticated: {
    status: 401,
    message: 'Authentication required.',
    hint: 'Authenticate via /api/auth/login',
  },
  forbidden: {
    status: 403,
    message: 'Admin access required.',
    hint: 'Contact your administrator to request access.',
  },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This method is not allowed here.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  own_account: {
    status: 409,
    message: 'You cannot delete or deactivate the account you are signed in with, or change its role.',
    hint: 'Ask another administrator.',
  },
  inactive: { status: 409, message: 'This identity is not active.' },
  precondition_failed: { status: 412, message: 'It was changed in the meantime.' },
  payload_too_large: { status: 413, message: 'The request body is too large.' },
  unsupported_media_type: { status: 415, message: 'The request body must be application/json.' },
  expectation_failed: { status: 417, message: 'This expectation cannot be met.' },
  misdirected_request: { status: 421, message: 'This host name is not served here.' },
  too_many_requests: { status: 429, message: 'Too many requests. Try again later.' },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  internal_error: { status: 500, message: 'An unexpected error occurred.' },
  decryption_failed: { status: 500, message: 'The stored value cannot be decrypted with the current keys.' },
  proxy_error: { status: 500, message: 'An unexpected error occurred.' },
  upstream_error: { status: 502, message: 'The upstream service refused the request.' },
  bad_gateway: { status: 502, message: 'Unable to reach upstream service.' },
  service_unavailable: { status: 503, message: 'The service is not available at the moment. Try again later.' },
  gateway_timeout: { status: 504, message: 'Upstream service did not respond within the timeout window.' },
};

/** Deviations from the catalogue: the upstream's status, a message that names a field, headers such as `Allow`. */
export interface ApiErrorOptions {
  status?: number;
  message?: string;
  /** `null` omits the catalogue's hint where it would mislead. */
  hint?: null;
  headers?: Record<string, string>;
  /** The address at which to continue after a challenge that was already used. */
  redirectTo?: string;
  /** Not logged as an error, since nothing is wrong. */
  expected?: true;
  /** Appears only in the log. */
  cause?: unknown;
}

/** The only error that handlers throw; `errorHandler` sends it. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Record<string, string>;
  readonly expected: boolean;
  #text: string | undefined;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    const entry = CATALOGUE[code];
    const message = options.message ?? entry.message;
    // A refusal needs no stack trace, which would be its largest cost. A cause keeps its own.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'ApiError';
    this.code = code;
    this.status = options.status ?? entry.status;
    this.headers = options.headers ?? {};
    this.expected = options.expected ?? false;
    this.body =
      entry.hint === undefined || options.hint === null
        ? { error: code, message }
        : { error: code, message, hint: entry.hint };
    if (options.redirectTo !== undefined) this.body.redirect_to = options.redirectTo;
  }

  /** The body as JSON, serialised once: refusals that need no detail are constants. */
  get text(): string {
    this.#text ??= JSON.stringify(this.body);
    return this.#text;
  }
}

/**
 * 400 `bad_request` that names the field.
 * @param field the invalid member of the body or query parameter
 * @param problem the rest of the sentence: `must be a string`
 */
export const badRequest = (field: string, problem: string): ApiError =>
  new ApiError('bad_request', { message: `${field} ${problem}.` });

/**
 * Refuses methods that the route does not handle; mount it last.
 * @param allow the `Allow` header (RFC 9110, section 10.2.1): `GET, HEAD`
 */
export const methodNotAllowed =
  (allow: string): RequestHandler =>
  (_req, _res, next) =>
    next(new ApiError('method_not_allowed', { headers: { Allow: allow } }));

/** If more bytes of a refused body than this are unread, the connection is closed instead of drained. */
const DRAIN_MAX_BYTES = 65_536;
/** How long a client that is still sending has to read the response. */
const LINGER_MS = 2_000;
/** A refused connection is closed after this time, regardless of what the client does. */
const REFUSED_MS = 5_000;

/**
 * Writes an error in its one shape (docs/api.md#errors). No other module writes error bodies. Closes the connection if
 * the unread rest of the body is large or of unknown length.
 */
export function sendError(req: IncomingMessage, res: ServerResponse, error: ApiError): void {
  const body = error.text;
  // An earlier attempt to write a head may have set the reason phrase.
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
export function closeInStages({ socket }: IncomingMessage, res: ServerResponse): void {
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
      // A body that has begun cannot be undone, so the client must notice that it is truncated.
      res.destroy();
      return;
    }
    sendError(req, res, error);
  };
}

/** Errors of Express and its body parser have a status and a type; anything else is unexpected. */
function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const { status, type, code, bytes } = (thrown ?? {}) as Record<'status' | 'type' | 'code' | 'bytes', unknown>;
  const cause = thrown;
  if (type === 'entity.too.large') return new ApiError('payload_too_large', { cause });
  if (code === 'STATEMENT_TOO_LARGE') {
    const message = `The database accepts less than ${bytes} bytes at once (max_allowed_packet).`;
    return new ApiError('payload_too_large', { message, cause });
  }
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
