import { type BackOff, withBackOff } from '../../api/back-off.ts';
import { RequestError } from '../../api/request-error.ts';

/** Result for one item. `unchanged`: there was nothing to do. `not-started`: cancelled before its turn. */
export type BulkOutcome = 'done' | 'unchanged' | 'failed' | 'not-started';

export interface BulkResult<T> {
  item: T;
  outcome: BulkOutcome;
  /** Why it failed, or why there was nothing to do. */
  reason?: string | undefined;
}

export interface BulkRun<T> {
  items: readonly T[];
  /** Resolves with a reason if there was nothing to do, else with undefined; rejects if it failed. */
  act: (item: T) => Promise<string | undefined>;
  concurrency?: number;
  /** No item starts after it aborts; running ones finish, so that the outcome of each is known. */
  signal?: AbortSignal;
  onProgress?: (ended: number) => void;
  wait?: BackOff['wait'];
}

/** Runs `act` for every item, a few at a time. Never rejects. @returns the results in the order of the items */
export async function runBulk<T>({ concurrency = 4, ...run }: BulkRun<T>): Promise<BulkResult<T>[]> {
  const results = run.items.map((item): BulkResult<T> => ({ item, outcome: 'not-started' }));
  let next = 0;
  let ended = 0;
  let refused = false;

  const work = async (): Promise<void> => {
    while (next < run.items.length && !refused && !run.signal?.aborted) {
      const index = next;
      next += 1;
      const item = run.items[index] as T;
      try {
        const reason = await withBackOff(() => run.act(item), { tries: 4, signal: run.signal, wait: run.wait });
        results[index] = reason === undefined ? { item, outcome: 'done' } : { item, outcome: 'unchanged', reason };
      } catch (error) {
        // Without a session or API key every further item would be rejected, too.
        refused ||= error instanceof RequestError && error.status === 401;
        results[index] = { item, outcome: 'failed', reason: (error as Error).message };
      }
      ended += 1;
      run.onProgress?.(ended);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, run.items.length) }, work));
  return results;
}
