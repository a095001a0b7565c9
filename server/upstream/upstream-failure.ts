import { ApiError } from '../http/api-error.ts';

/** How an upstream failed us, or we it. */
export type FailureKind =
  /** It has no address here, and was not asked. */
  | 'not_configured'
  /** Our key for it cannot be opened or sent, and it was not asked. */
  | 'key_unreadable'
  /** Refused or unresolved. */
  | 'unreachable'
  /** No complete answer in time. */
  | 'timeout'
  /** Reset, malformed HTTP, or too large. */
  | 'broken'
  /** It answered 401 or 403 to our key, or to none. */
  | 'refuses_key'
  /** It answered 429. */
  | 'too_many_requests'
  /** It answered 5xx. */
  | 'failing'
  /** It answered another status than a 200: it rejects our question. */
  | 'refused'
  /** It answered 200, with something other than what was asked for. */
  | 'nonsense';

/** What came back of a call that failed with an answer. */
export interface FailedAnswer {
  status: number;
  text: string;
}

/** A call to an upstream that brought no usable answer. Its message names no address, and no log shows the answer. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  readonly #answer: FailedAnswer | undefined;

  constructor(kind: FailureKind, options: { cause?: unknown; answer?: FailedAnswer } = {}) {
    super(`upstream ${kind}`, { cause: options.cause });
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.#answer = options.answer;
  }

  /** For the log, which shows names and codes of errors. */
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

/** Sorts what a socket or a parser reported: unreachable, timeout or broken. */
export function failureOf(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code !== undefined && UNREACHABLE.has(code)) return new UpstreamFailure('unreachable', { cause: error });
  return new UpstreamFailure(code === 'ETIMEDOUT' ? 'timeout' : 'broken', { cause: error });
}

/** Sorts an answer whose status is not the one that was hoped for. */
export function failureOfAnswer({ status, text }: FailedAnswer): UpstreamFailure {
  return new UpstreamFailure(kindOf(status), { answer: { status, text } });
}

function kindOf(status: number): FailureKind {
  if (status === 401 || status === 403) return 'refuses_key';
  if (status === 429) return 'too_many_requests';
  return status >= 500 ? 'failing' : 'refused';
}

/** What a caller is told of a failed request: `bad_gateway`, `gateway_timeout`, `proxy_error` (docs/api.md#errors). */
export function failureAnswer(error: unknown): ApiError {
  const cause = failureOf(error);
  switch (cause.kind) {
    case 'timeout':
      return new ApiError('gateway_timeout', { cause });
    case 'broken':
    case 'key_unreadable':
      return new ApiError('proxy_error', { cause });
    default:
      return new ApiError('bad_gateway', { cause });
  }
}

/**
 * What the caller of a route of our own is told when the upstream that it asks fails: as `failureAnswer`, but a broken
 * answer is 502 too. Any other error stays what it is.
 */
export function questionFailed(error: unknown): unknown {
  if (!(error instanceof UpstreamFailure)) return error;
  return error.kind === 'broken' ? new ApiError('bad_gateway', { cause: error }) : failureAnswer(error);
}
