import { type BackOff, withBackOff } from '../../api/back-off.ts';
import { RequestError, reworded } from '../../api/request-error.ts';
import type { Checked } from './bulk-act.ts';

/**
 * Result for one item. `unchanged`: there was nothing to do. `left-out`: its check said so. `not-started`: cancelled
 * before its turn.
 */
export type BulkOutcome = 'done' | 'unchanged' | 'left-out' | 'failed' | 'not-started';

export interface BulkResult<T> {
  item: T;
  outcome: BulkOutcome;
  /** Why it failed or was left out, or why there was nothing to do. */
  reason?: string | undefined;
}

export interface BulkRun<T> {
  items: readonly T[];
  /** Asked before each act, and not again when the act is retried: an act that was lost may already have changed it. */
  check?: ((item: T) => Promise<Checked<T>>) | undefined;
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
  const backOff: BackOff = { tries: 4, signal: run.signal, wait: run.wait };
  let next = 0;
  let ended = 0;
  let refused = false;

  const stopped = (): boolean => refused || run.signal?.aborted === true;

  /** @throws what its check or its act failed with */
  async function outcomeOf(found: T, onChecked: (item: T) => void): Promise<BulkResult<T>> {
    const { check, act } = run;
    const { item, leftOut, already }: Checked<T> =
      check === undefined ? { item: found } : await withBackOff(() => check(found), backOff).catch(notChecked);
    onChecked(item);
    if (leftOut !== undefined) return { item, outcome: 'left-out', reason: leftOut };
    if (already) return { item, outcome: 'unchanged' };
    if (stopped()) return { item, outcome: 'not-started' };
    const reason = await withBackOff(() => act(item), backOff);
    return reason === undefined ? { item, outcome: 'done' } : { item, outcome: 'unchanged', reason };
  }

  const work = async (): Promise<void> => {
    while (next < run.items.length && !stopped()) {
      const index = next;
      next += 1;
      let item = run.items[index] as T;
      try {
        results[index] = await outcomeOf(item, (checked) => {
          item = checked;
        });
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

function notChecked(error: Error): never {
  throw reworded(error, `It could not be checked, so nothing was done: ${error.message}`);
}
