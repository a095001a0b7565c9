import type { ServerResponse } from 'node:http';
import { ApiError } from '../../http/api-error.ts';
import { fairQueue } from '../../http/fair-queue.ts';

/** The provider, the store and the database are asked by so many callbacks at a time. */
const LIMITS = { places: 32, waiting: 512, waitMs: 5_000 };

export interface CallbackPlaces {
  /**
   * Waits for a place; the next one goes to the address that has the fewest.
   * @param peer the address, or what it counts by
   * @param res its end is the caller's leaving, which gives the place in the queue up
   * @returns gives the place back; undefined when the caller has left
   * @throws 503 with `Retry-After` when too many wait, or the wait takes too long
   */
  enter(peer: string, res: ServerResponse): Promise<(() => void) | undefined>;
}

/** Shares the callbacks that may be under way fairly by address, so that nobody keeps the others from signing in. */
export function callbackPlaces(): CallbackPlaces {
  const queue = fairQueue(LIMITS);
  return {
    enter: (peer, res) =>
      new Promise((resolve, reject) => {
        const left = (): void => {
          leave();
          resolve(undefined);
        };
        res.once('close', left);
        const leave = queue.claim(peer, {
          granted() {
            // Whoever leaves from here on has used the state: its exchange goes on, and keeps the place.
            res.off('close', left);
            resolve(() => leave());
          },
          refused() {
            res.off('close', left);
            reject(new ApiError('service_unavailable', { headers: { 'Retry-After': '5' } }));
          },
        });
      }),
  };
}
