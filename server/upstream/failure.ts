import type { UpstreamName } from '../../shared/upstreams.ts';
import { ApiError } from '../http/errors.ts';

/** How a request to an upstream ended: the class of its status, or why there is none; `abandoned` by its caller. */
export type UpstreamOutcome = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | FailureKind | 'abandoned';
/** Of whom: forwarded for a caller, or the dashboard's own. */
export type UpstreamCaller = 'proxy' | 'dashboard';
/** @param seconds from the request to the head of its response, or to its failure */
export type ObserveUpstream = (
  upstream: UpstreamName,
  by: UpstreamCaller,
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
  /** There was no memory for its response, which was not read to its end. */
  | 'no_room'
  /** It responded 401 or 403 to our key, or to no key. */
  | 'refuses_key'
  /** It responded 429. */
  | 'too_many_requests'
  /** It responded 5xx. */
  | 'failing'
  /** It responded with another status than 200: it rejects the request. */
  | 'refused'
  /** It responded 200, but not with what was requested; or with more headers than can be passed on. */
  | 'nonsense';

/** The response of a failed request. */
export interface FailedAnswer {
  status: number;
  text: string;
}

/** A request without a usable response. The message names no address, and logs never include the response. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  readonly #answer: FailedAnswer | undefined;

  constructor(kind: FailureKind, options: { cause?: unknown; answer?: FailedAnswer } = {}) {
    super(`upstream ${kind}`, { cause: options.cause });
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.#answer = options.answer;
  }

  /** For the log, which includes only names and codes of errors. */
  get code(): string {
    return this.answer === undefined ? this.kind : `${this.kind} ${this.answer.status}`;
  }

  get answer(): FailedAnswer | undefined {
    return this.#answer;
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

/** Classifies a response with an unexpected status. */
export function failureOfAnswer({ status, text }: FailedAnswer): UpstreamFailure {
  return new UpstreamFailure(kindOf(status), { answer: { status, text } });
}

function kindOf(status: number): FailureKind {
  if (status === 401 || status === 403) return 'refuses_key';
  if (status === 429) return 'too_many_requests';
  return status >= 500 ? 'failing' : 'refused';
}

/** The error to send for a failed request: `bad_gateway`, `gateway_timeout`, `proxy_error`, `service_unavailable` (docs/api.md#errors). */
export function failureAnswer(error: unknown): ApiError {
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
 * The error of one of our own routes whose upstream fails: as `failureAnswer`, but a broken response is 502, too. Any
 * other error is returned as it is.
 */
export function questionFailed(error: unknown): unknown {
  if (!(error instanceof UpstreamFailure)) return error;
  return error.kind === 'broken' ? new ApiError('bad_gateway', { cause: error }) : failureAnswer(error);
}
