const ENTRIES_MAX = 10_000;
const RETRY_MS = 5_000;

export interface StaleIfErrorCache<T> {
  /** The cached value while it is fresh, otherwise a new one; during an outage, the last one. */
  get(key: string): Promise<T>;
  /** The fresh cached value, in the same turn; undefined if there is none at hand. */
  atHand(key: string): { readonly answer: T } | undefined;
  /** Drops entries immediately, including those being loaded. */
  forget(matches: (key: string) => boolean): void;
  /** The source has changed and can be asked: every value is old now, those being loaded too, but serves in an outage. */
  expire(): void;
  counts(): CacheCounts;
}

/** Since the process started: answers that were at hand, and those that were loaded. */
export interface CacheCounts {
  hits: number;
  misses: number;
}

interface Entry<T> {
  known: { answer: T; freshUntil: number } | undefined;
  loading: Promise<T> | undefined;
}

/**
 * Stale-if-error cache: keeps values for a time, loads each once for concurrent callers, and serves the last value
 * during an outage.
 * @param options.monotonic milliseconds on a monotonic clock
 * @param options.isOutage errors after which the last value stays valid; others reach the caller
 * @param options.onOutage called with true when an outage begins, with false when it is over
 */
export function staleIfErrorCache<T>(options: {
  load: (key: string) => Promise<T>;
  ttlMs: number;
  monotonic: () => number;
  isOutage: (error: unknown) => boolean;
  onOutage: (begins: boolean) => void;
}): StaleIfErrorCache<T> {
  const { load, ttlMs, monotonic, isOutage, onOutage } = options;
  const entries = new Map<string, Entry<T>>();
  const counts: CacheCounts = { hits: 0, misses: 0 };
  let outage = false;

  function noteOutage(begins: boolean): void {
    if (begins !== outage) onOutage(begins);
    outage = begins;
  }

  function loaded(entry: Entry<T>, answer: T): T {
    noteOutage(false);
    entry.known = { answer, freshUntil: monotonic() + ttlMs };
    entry.loading = undefined;
    return answer;
  }

  function failed(key: string, entry: Entry<T>, error: unknown): T {
    entry.loading = undefined;
    if (isOutage(error)) noteOutage(true);
    if (entry.known === undefined || !isOutage(error)) {
      if (entries.get(key) === entry) entries.delete(key);
      throw error;
    }
    entry.known.freshUntil = monotonic() + RETRY_MS;
    return entry.known.answer;
  }

  function refresh(key: string, entry: Entry<T>): Promise<T> {
    counts.misses += 1;
    entry.loading = load(key).then(
      (value) => loaded(entry, value),
      (error) => failed(key, entry, error),
    );
    return entry.loading;
  }

  function entryOf(key: string): Entry<T> {
    const present = entries.get(key);
    if (present !== undefined) return present;
    const [oldest] = entries.keys();
    if (entries.size >= ENTRIES_MAX && oldest !== undefined) entries.delete(oldest);
    const entry: Entry<T> = { known: undefined, loading: undefined };
    entries.set(key, entry);
    return entry;
  }

  return {
    atHand(key) {
      const known = entries.get(key)?.known;
      if (known === undefined || monotonic() >= known.freshUntil) return undefined;
      counts.hits += 1;
      return known;
    },
    async get(key) {
      const entry = entryOf(key);
      if (entry.known !== undefined && monotonic() < entry.known.freshUntil) {
        counts.hits += 1;
        return entry.known.answer;
      }
      const answer = entry.loading ?? refresh(key, entry);
      // Do not wait for a database known to be unavailable.
      if (outage && entry.known !== undefined) {
        answer.catch(() => {});
        return entry.known.answer;
      }
      return answer;
    },
    forget(matches) {
      // A load in progress keeps its entry, which can no longer be found.
      for (const key of entries.keys()) if (matches(key)) entries.delete(key);
    },
    counts: () => counts,
    expire() {
      noteOutage(false);
      for (const [key, { known }] of entries)
        entries.set(key, { known: known && { ...known, freshUntil: Number.NEGATIVE_INFINITY }, loading: undefined });
    },
  };
}
