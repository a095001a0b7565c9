import type { ErrorBody, ErrorCode } from '../../shared/errors.ts';

/** Status and texts of every code (docs/api.md#errors); a hint only where it helps. */
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
  /** Where to continue after a challenge that was already used. */
  redirectTo?: string;
  /** Not logged as an error: it is part of a graceful shutdown. */
  expected?: true;
  /** Only logged. */
  cause?: unknown;
}

/** The only error that handlers throw; written by `http/error-handler.ts` alone. */
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
