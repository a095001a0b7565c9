import { ApiError } from '../http/api-error.ts';

/**
 * How an upstream failed us: `unreachable` (refused, unresolved), `timeout` (no answer in time),
 * `broken` (anything else: reset, malformed, too large).
 */
export type FailureKind = 'unreachable' | 'timeout' | 'broken';

/** A call to an upstream that brought no usable answer. Its message names no address. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, cause?: unknown) {
    super(`upstream ${kind}`, { cause });
    this.name = 'UpstreamFailure';
    this.kind = kind;
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

/** Sorts what a socket or a parser reported into the three kinds. */
export function failureOf(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code !== undefined && UNREACHABLE.has(code)) return new UpstreamFailure('unreachable', error);
  return new UpstreamFailure(code === 'ETIMEDOUT' ? 'timeout' : 'broken', error);
}

/** 502 `bad_gateway`, 504 `gateway_timeout` or 500 `proxy_error` (section 7). */
export function failureAnswer(error: unknown): ApiError {
  const failure = failureOf(error);
  switch (failure.kind) {
    case 'unreachable':
      return new ApiError('bad_gateway', { cause: failure });
    case 'timeout':
      return new ApiError('gateway_timeout', { cause: failure });
    case 'broken':
      return new ApiError('proxy_error', { cause: failure });
  }
}
