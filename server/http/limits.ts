import type { Request, RequestHandler, Response } from 'express';
import { BoundedMap } from '../caches.ts';
import { fairQueue, type QueueLimits } from '../queue.ts';
import { ApiError } from './errors.ts';

/**
 * Limits how many requests are handled at once; others wait in a fair queue, with their bodies unread. A request that
 * waits too long or finds the queue full gets 503 `service_unavailable`.
 * @param keyOf the key that a request counts for
 */
export function admission(limits: QueueLimits, keyOf: (req: Request, res: Response) => string): RequestHandler {
  const queue = fairQueue(limits);
  return (req, res, next) => {
    // The client disconnected while its session was verified: `close` has already fired and would not free the place.
    if (res.destroyed) return;
    let giveUp = (): void => {};
    res.once('close', () => giveUp());
    giveUp = queue.claim(keyOf(req, res), {
      granted: () => next(),
      refused: () => next(new ApiError('service_unavailable', { headers: { 'Retry-After': '1' } })),
    });
  };
}

export type RateLimit = ReturnType<typeof rateLimit>;

const WHO_MAX = 10_000;

/** At most `limit` uses within any window of `windowMs`. */
export function rateLimit(options: { limit: number; windowMs: number; monotonic: () => number }) {
  const { limit, windowMs, monotonic } = options;
  /** The times of the latest uses, oldest first; the map is ordered by latest use. */
  const uses = new BoundedMap<string, number[]>(WHO_MAX);

  return {
    /**
     * Counts one use.
     * @param who the session whose uses are counted together; never an address, which many clients share behind a load
     * balancer
     * @throws 429 `too_many_requests` with `Retry-After` in seconds; a refused use does not count
     */
    use(who: string): void {
      const time = monotonic();
      const recent = (uses.get(who) ?? []).filter((used) => used > time - windowMs);
      const [oldest = time] = recent;
      if (recent.length >= limit) {
        const seconds = Math.max(1, Math.ceil((oldest + windowMs - time) / 1000));
        throw new ApiError('too_many_requests', { headers: { 'Retry-After': String(seconds) } });
      }
      uses.delete(who);
      uses.set(who, [...recent, time]);
    },
  };
}
