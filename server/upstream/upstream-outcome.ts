import type { UpstreamName } from '../../shared/upstreams.ts';
import type { FailureKind } from './upstream-failure.ts';

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
