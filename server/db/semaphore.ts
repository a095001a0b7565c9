import { DatabaseUnavailable } from './unavailable.ts';

/**
 * A FIFO semaphore: runs at most `places` pieces of work at once.
 * @param options.waiting how many may wait
 * @param options.waitMs how long each may wait
 * @returns a function that runs work in its turn, and rejects with `DatabaseUnavailable` if that does not come
 */
export function semaphore(options: {
  places: number;
  waiting: number;
  waitMs: number;
}): <T>(work: () => Promise<T>) => Promise<T> {
  const { places, waiting, waitMs } = options;
  let free = places;
  const queue = new Set<() => void>();

  function turn(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    if (queue.size >= waiting) return Promise.reject(new DatabaseUnavailable('too many writes are waiting'));
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        queue.delete(enter);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.delete(enter);
        reject(new DatabaseUnavailable('timed out waiting to write'));
      }, waitMs);
      queue.add(enter);
    });
  }

  function leave(): void {
    const [next] = queue;
    if (next === undefined) free += 1;
    else next();
  }

  return async (work) => {
    await turn();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
