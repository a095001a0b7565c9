import { type BackOff, withBackOff } from '../../api/back-off.ts';
import { RequestError } from '../../api/request-error.ts';

/** What became of one item. `unchanged`: what was wanted was so already. `not-started`: ended before its turn. */
export type BulkOutcome = 'done' | 'unchanged' | 'failed' | 'not-started';

export interface BulkResult<T> {
  item: T;
  outcome: BulkOutcome;
  /** Why it failed, or why there was nothing to do. */
  reason?: string | undefined;
}

export interface BulkRun<T> {
  items: readonly T[];
  /** Resolves with a reason when there was nothing to do, with nothing when it is done; rejects when it failed. */
  act: (item: T) => Promise<string | undefined>;
  concurrency?: number;
  /** No further item starts after it; those under way end, so that the outcome of each is known. */
  signal?: AbortSignal;
  onProgress?: (ended: number) => void;
  wait?: BackOff['wait'];
}

/** Does the same to every item, a few at a time. @returns the results in the order of the items; it never rejects */
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
        // Without a session or a key every further item would be refused alike.
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
