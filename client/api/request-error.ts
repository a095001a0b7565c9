import type { ErrorCode } from '../../shared/errors.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';

/** The server answered, and not with success: its error (docs/api.md#errors), or what could be made of its answer. */
export class RequestError extends Error {
  readonly status: number;
  /** A stable code to decide on; `unreadable_answer` when the body was not what the service sends. */
  readonly code: ErrorCode | 'unreadable_answer' | 'Not authenticated';
  readonly hint: string | undefined;
  /** Finds the server's log line. */
  readonly requestId: string | undefined;
  /** How long the server asks callers to wait, in seconds. */
  readonly retryAfter: number | undefined;
  /** The upstream whose failure is behind it; whoever shows it may ask how that stands. */
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

/** A success that says something else than `what`. */
export const unreadableAnswer = (from: 'identity service' | 'OAuth server', what: string): RequestError =>
  new RequestError({
    status: 200,
    code: 'unreadable_answer',
    message: `The ${from} answered with something that is not ${what}.`,
  });

/** No answer arrived: the network or the service is away, or the time ran out. Whether the request was carried out is unknown. */
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

/** The same failure, with the same consequences, in other words; the first one is its cause. */
export function reworded(error: Error, message: string): Error {
  if (error instanceof ConnectionError) return new ConnectionError(error.timedOut, error, message);
  if (!(error instanceof RequestError)) return new Error(message, { cause: error });
  const { status, code, hint, requestId, retryAfter, service } = error;
  return new RequestError({ status, code, message, hint, requestId, retryAfter, service, cause: error });
}

/** Worth one more try: nothing is wrong with the request itself. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof RequestError && [502, 503, 504].includes(error.status));
