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
 * @param monotonic milliseconds on a monotonic clock
 */
export function cachedFor<T>(ms: number, run: () => Promise<T>, monotonic: () => number): () => Promise<T> {
  let last: { result: Promise<T>; until: number } | undefined;
  return () => {
    if (last !== undefined && monotonic() < last.until) return last.result;
    const current = { result: run(), until: Number.POSITIVE_INFINITY };
    last = current;
    const expireLater = (): void => {
      current.until = monotonic() + ms;
    };
    current.result.then(expireLater, expireLater);
    return current.result;
  };
}

const CONCURRENCY = 8;

/** Calls `work` for each item, at most eight at a time. Rejects with the first failure, after which no work begins. */
export async function eachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  // Without items, the other workers end.
  await Promise.all(Array.from({ length: CONCURRENCY }, worker)).finally(() => [...waiting]);
}
