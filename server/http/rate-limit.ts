import { ApiError } from './api-error.ts';

export interface RateLimit {
  /**
   * Counts one use.
   * @param who whose uses are counted together: a session id, never an address, which many share behind a load balancer
   * @throws 429 `too_many_requests` with `Retry-After` in seconds; a refused use does not count
   */
  use(who: string): void;
}

const WHO_MAX = 10_000;

/** At most `limit` uses within any window of `windowMs`. @param options.monotonic milliseconds on a monotonic clock */
export function rateLimit(options: { limit: number; windowMs: number; monotonic: () => number }): RateLimit {
  const { limit, windowMs, monotonic } = options;
  /** The times of the latest uses, oldest first; the map is ordered by latest use. */
  const uses = new Map<string, number[]>();

  function forgetOld(time: number): void {
    for (const [who, times] of uses) {
      const latest = times.at(-1) ?? 0;
      if (latest > time - windowMs && uses.size <= WHO_MAX) return;
      uses.delete(who);
    }
  }

  return {
    use(who) {
      const time = monotonic();
      const recent = (uses.get(who) ?? []).filter((used) => used > time - windowMs);
      const [oldest = time] = recent;
      if (recent.length >= limit) {
        const seconds = Math.max(1, Math.ceil((oldest + windowMs - time) / 1000));
        throw new ApiError('too_many_requests', { headers: { 'Retry-After': String(seconds) } });
      }
      uses.delete(who);
      uses.set(who, [...recent, time]);
      forgetOld(time);
    },
  };
}
