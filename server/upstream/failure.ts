import type { UpstreamName } from '../../shared/upstreams.ts';
import { ApiError } from '../http/errors.ts';

/** How a request to an upstream ended: the class of its status, the kind of failure, or `abandoned` by the client. */
export type UpstreamOutcome = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | FailureKind | 'abandoned';
/**
 * @param by `proxy` if the request was forwarded for a caller; otherwise it was the dashboard's own
 * @param seconds from the request to the head of its response, or to its failure
 */
export type ObserveUpstream = (
  upstream: UpstreamName,
  by: 'proxy' | 'dashboard',
  outcome: UpstreamOutcome,
  seconds: number,
) => void;

export const classOf = (status: number): UpstreamOutcome =>
  (['1xx', '2xx', '3xx', '4xx', '5xx'] as const)[Math.trunc(status / 100) - 1] ?? '5xx';

/** How a request to an upstream failed. */
export type FailureKind =
  /** It has no configured address; no request was made. */
  | 'not_configured'
  /** The stored key cannot be decrypted or sent; no request was made. */
  | 'key_unreadable'
  /** Connection refused, or name not resolved. */
  | 'unreachable'
  /** No complete response in time. */
  | 'timeout'
  /** Reset, malformed HTTP, or too large. */
  | 'broken'
  /** Its response did not fit into the memory budget and was not read completely. */
  | 'no_room'
  /** It responded 401 or 403 to our key, or to no key. */
  | 'refuses_key'
  /** It responded 429. */
  | 'too_many_requests'
  /** It responded 5xx. */
  | 'failing'
  /** It responded with a status other than 200: it rejects the request. */
  | 'refused'
  /** It responded 200 with something other than what was requested, or with more headers than can be passed on. */
  | 'nonsense';

/** The response of a failed request. */
interface FailedResponse {
  status: number;
  text: string;
}

/** A request without a usable response. The message contains no address, and logs never include the response. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  readonly #response: FailedResponse | undefined;

  constructor(kind: FailureKind, options: { cause?: unknown; response?: FailedResponse } = {}) {
    super(`upstream ${kind}`, { cause: options.cause });
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.#response = options.response;
  }

  /** Logged, since logs include only the names and codes of errors. */
  get code(): string {
    return this.response === undefined ? this.kind : `${this.kind} ${this.response.status}`;
  }

  get response(): FailedResponse | undefined {
    return this.#response;
  }
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

/** Classifies a socket or parser error: unreachable, timeout or broken. */
export function failureOf(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code !== undefined && UNREACHABLE.has(code)) return new UpstreamFailure('unreachable', { cause: error });
  if (code === 'HPE_HEADER_OVERFLOW') return new UpstreamFailure('nonsense', { cause: error });
  return new UpstreamFailure(code === 'ETIMEDOUT' ? 'timeout' : 'broken', { cause: error });
}

/** The failure for a response with an unexpected status. */
export function failureOfStatus({ status, text }: FailedResponse): UpstreamFailure {
  let kind: FailureKind = status >= 500 ? 'failing' : 'refused';
  if (status === 401 || status === 403) kind = 'refuses_key';
  if (status === 429) kind = 'too_many_requests';
  return new UpstreamFailure(kind, { response: { status, text } });
}

/** The API error for a failed request (docs/api.md#errors). */
export function gatewayError(error: unknown): ApiError {
  const cause = failureOf(error);
  switch (cause.kind) {
    case 'timeout':
      return new ApiError('gateway_timeout', { cause });
    case 'no_room':
      return new ApiError('service_unavailable', { cause, headers: { 'Retry-After': '1' } });
    case 'broken':
    case 'key_unreadable':
      return new ApiError('proxy_error', { cause });
    default:
      return new ApiError('bad_gateway', { cause });
  }
}

/**
 * The API error of one of our own routes whose upstream fails: like `gatewayError`, but a broken response is 502 as
 * well. Any other error is returned unchanged.
 */
export function routeError(error: unknown): unknown {
  if (!(error instanceof UpstreamFailure)) return error;
  return error.kind === 'broken' ? new ApiError('bad_gateway', { cause: error }) : gatewayError(error);
}
