import type { ServiceName, ServiceState } from '../../../shared/services.ts';
import type { ServiceCheck } from './service-checks.ts';

/** What a check has found, and when. */
export type FoundState = Omit<ServiceState, 'since'>;

/** Each service's state; checks it at most every five seconds. Never rejects. */
export type ServiceStates = ReadonlyMap<ServiceName, () => Promise<FoundState>>;

const CACHE_MS = 5_000;

/**
 * @param checks in the order of the response
 * @param now milliseconds since the epoch
 * @param monotonic milliseconds on a monotonic clock
 */
export const serviceStates = (
  checks: ReadonlyMap<ServiceName, ServiceCheck>,
  now: () => number,
  monotonic: () => number,
): ServiceStates =>
  new Map(
    [...checks].map(([name, check]) => [
      name,
      shared(async () => ({ name, ...(await check()), checked_at: new Date(now()).toISOString() }), monotonic),
    ]),
  );

/** Shares one check among all callers while it runs and for five seconds after. */
function shared<T>(check: () => Promise<T>, monotonic: () => number): () => Promise<T> {
  let last: { answer: Promise<T>; until: number } | undefined;
  return () => {
    if (last !== undefined && monotonic() < last.until) return last.answer;
    const current = { answer: check(), until: Number.POSITIVE_INFINITY };
    last = current;
    const ends = (): void => {
      current.until = monotonic() + CACHE_MS;
    };
    current.answer.then(ends, ends);
    return current.answer;
  };
}
