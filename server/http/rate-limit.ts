import { ApiError } from './api-error.ts';

export interface RateLimit {
  /**
   * Counts one use.
   * @param who whose uses are counted together: a session's id, never an address, which many share behind a balancer
   * @throws 429 `too_many_requests` with the seconds to wait in `Retry-After`; a refused use does not count
   */
  use(who: string): void;
}

const WHO_MAX = 10_000;

/**
 * At most `limit` uses within any window of that length.
 * @param options.monotonic milliseconds on a clock that only goes forward
 */
export function rateLimit(options: { limit: number; windowMs: number; monotonic: () => number }): RateLimit {
  const { limit, windowMs, monotonic } = options;
  /** The times of the latest uses, oldest first; the map's order is that of the latest use. */
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
