import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** Why a prefix was closed to a caller; contains nothing from the request. */
export interface Closed {
  decidedBy: string;
  reason: string;
}

/**
 * What is noted about a request on its way: Express' `res.locals`, of one shape for all requests, so that reading and
 * writing it is cheap.
 */
export class RequestState {
  /** In `X-Request-Id`, in the log line, and forwarded to upstreams. */
  readonly requestId: string = randomUUID();
  /** Milliseconds on a monotonic clock. */
  readonly started = performance.now();
  /** Whether the app handles it, and so its end is logged. */
  routed = false;
  /** The verified session (`session/current-session.ts`). */
  session: unknown = undefined;
  /** Where the router of the matched route is mounted. */
  mountedAt: string | undefined = undefined;
  /** The reason for a 401 on a prefix. */
  closed: Closed | undefined = undefined;
  /** Its 5xx is no failure: the service shuts down. */
  expectedFailure = false;
}

/** @returns undefined for a response that the service's server did not create */
export const stateOf = (res: ServerResponse): RequestState | undefined => (res as { locals?: RequestState }).locals;

/** Notes the state where Express keeps a response's locals. */
export function keepState(res: ServerResponse): RequestState {
  const state = new RequestState();
  (res as { locals?: RequestState }).locals = state;
  return state;
}
