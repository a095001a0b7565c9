import { setTimeout as sleep } from 'node:timers/promises';

/** A map of at most `max` entries: another one replaces the oldest. */
export class BoundedMap<K, V> extends Map<K, V> {
  private readonly max: number;

  constructor(max: number) {
    super();
    this.max = max;
  }

  override set(key: K, value: V): this {
    const [oldest] = this.size >= this.max && !this.has(key) ? this.keys() : [];
    if (oldest !== undefined) this.delete(oldest);
    return super.set(key, value);
  }
}

/** Shares one run among all callers while it lasts. */
export function whileRunning<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/**
 * Shares one run among all callers while it lasts and for some time after, even if it fails.
 * @param failedMs how long a failure is cached
 */
export function cachedFor<T>(
  ms: number,
  run: () => Promise<T>,
  monotonic: () => number,
  failedMs = ms,
): () => Promise<T> {
  let last: { result: Promise<T>; until: number } | undefined;
  return () => {
    if (last !== undefined && monotonic() < last.until) return last.result;
    const current = { result: run(), until: Number.POSITIVE_INFINITY };
    last = current;
    const expireAfter = (ms: number) => (): void => {
      current.until = monotonic() + ms;
    };
    current.result.then(expireAfter(ms), expireAfter(failedMs));
    return current.result;
  };
}

/** Shares each result by key among all callers, from the start of its load and for `ms`; at most `max` of them. */
export function cachedByKey<V>({ max, ms, monotonic }: { max: number; ms: number; monotonic: () => number }) {
  const entries = new BoundedMap<string, { value: Promise<V>; until: number }>(max);
  return {
    /** A failure is not cached, and neither is a value that `keep` refuses. */
    get(key: string, load: () => Promise<V>, keep: (value: V) => boolean = () => true): Promise<V> {
      const cached = entries.get(key);
      if (cached !== undefined && monotonic() < cached.until) return cached.value;
      const entry = { value: load(), until: monotonic() + ms };
      const forget = (): void => {
        if (entries.get(key) === entry) entries.delete(key);
      };
      entries.set(key, entry);
      entry.value.then((value) => keep(value) || forget(), forget);
      return entry.value;
    },
    clear: () => entries.clear(),
  };
}

/** Waits for work, for a limited time. @returns whether it has succeeded by then */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  try {
    return await Promise.race([work.then(() => true), sleep(ms, false, { signal: late.signal })]);
  } catch {
    return false;
  } finally {
    late.abort();
  }
}

const CONCURRENCY = 8;

/** Eight items at a time, with the results in their order. Rejects with the first failure, and begins no more. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  // Without items, the other workers end.
  await Promise.all(Array.from({ length: CONCURRENCY }, worker)).finally(() => [...waiting]);
  return results;
}
