import type { ErrorCode } from '../../shared/errors.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';

/** An error response: the server's own error (docs/api.md#errors), or a best effort if the response is not one. */
export class RequestError extends Error {
  readonly status: number;
  /** A stable code to decide on; `unreadable_answer` when the body is not what the service sends. */
  readonly code: ErrorCode | 'unreadable_answer' | 'Not authenticated';
  readonly hint: string | undefined;
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;
  /** Seconds that the server asks callers to wait. */
  readonly retryAfter: number | undefined;
  /** The upstream that failed, if any; callers may look up its current state. */
  readonly service: UpstreamName | undefined;

  constructor(answer: {
    status: number;
    code: RequestError['code'];
    message: string;
    hint?: string | undefined;
    requestId?: string | undefined;
    retryAfter?: number | undefined;
    service?: UpstreamName | undefined;
    cause?: unknown;
  }) {
    super(answer.message, { cause: answer.cause });
    this.name = 'RequestError';
    this.status = answer.status;
    this.code = answer.code;
    this.hint = answer.hint;
    this.requestId = answer.requestId;
    this.retryAfter = answer.retryAfter;
    this.service = answer.service;
  }
}

/** A 200 whose body is not `what`. */
export const unreadableAnswer = (from: 'identity service' | 'OAuth server', what: string): RequestError =>
  new RequestError({
    status: 200,
    code: 'unreadable_answer',
    message: `The ${from} returned something that is not ${what}.`,
  });

/** No response arrived: network or service down, or timed out. Whether the request was carried out is unknown. */
export class ConnectionError extends Error {
  readonly code = 'no_connection';
  readonly timedOut: boolean;

  constructor(
    timedOut: boolean,
    cause: unknown,
    message = timedOut ? 'The service did not answer in time.' : 'The service cannot be reached.',
  ) {
    super(message, { cause });
    this.name = 'ConnectionError';
    this.timedOut = timedOut;
  }
}

/** The same error with another message, and the original as its cause. */
export function reworded(error: Error, message: string): Error {
  if (error instanceof ConnectionError) return new ConnectionError(error.timedOut, error, message);
  if (!(error instanceof RequestError)) return new Error(message, { cause: error });
  const { status, code, hint, requestId, retryAfter, service } = error;
  return new RequestError({ status, code, message, hint, requestId, retryAfter, service, cause: error });
}

/** Worth one retry: the request itself is fine. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof RequestError && [502, 503, 504].includes(error.status));
