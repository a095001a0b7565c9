import type { ServerResponse } from 'node:http';
import { ApiError } from '../../http/api-error.ts';
import { fairQueue } from '../../http/fair-queue.ts';

/** How many callbacks may call the provider, the store and the database at once. */
const LIMITS = { places: 32, waiting: 512, waitMs: 5_000 };

export interface CallbackPlaces {
  /**
   * Waits for a place; the next one goes to the peer with the fewest.
   * @param peer the key the caller is counted by
   * @param res if it closes, the caller has left and loses its place in the queue
   * @returns a function that frees the place; undefined if the caller has left
   * @throws 503 with `Retry-After` if too many are waiting or the wait takes too long
   */
  enter(peer: string, res: ServerResponse): Promise<(() => void) | undefined>;
}

/** Shares concurrent callbacks fairly among addresses, so that nobody can keep others from signing in. */
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
            // From here on the state is used: the exchange continues without the caller and keeps its place.
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
