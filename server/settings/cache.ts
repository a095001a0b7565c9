import { type Cipher, CipherError } from '../crypto/cipher.ts';
import type { Database } from '../db/database.ts';
import { isUnavailable } from '../db/errors.ts';
import { settingsStore } from './store.ts';

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

/** A setting in plain text, and whether it is stored encrypted. */
export interface ReadableSetting {
  value: string;
  encrypted: boolean;
}

export interface CachedSettings {
  /**
   * Undefined if there is no such setting; that is cached as well.
   * @throws CipherError if no key decrypts it; an error that `isUnavailable` recognises if the database is unavailable
   * and nothing is cached
   */
  get(key: string): Promise<ReadableSetting | undefined>;
  /** The same in the same turn; undefined if it is not at hand. @throws CipherError as well */
  atHand(key: string): { setting: ReadableSetting | undefined } | undefined;
  /** The keys that begin with `prefix`, in byte order. */
  keys(prefix: string): Promise<readonly string[]>;
  /** Drops one setting from the cache, or all. */
  invalidate(key?: string): void;
  /**
   * Reads everything again, each setting when it is used next, if the number is another than at the last call.
   * @param version of the settings in the database
   */
  follow(version: number): void;
  counts(): CacheCounts;
}

/**
 * Settings for use at run time: read at most once per `ttlSeconds`, shared by concurrent callers, and served stale
 * while the database is unavailable.
 * @param options.log receives outages, never a key or a value
 * @param options.monotonic milliseconds on a monotonic clock
 */
export function cachedSettings(options: {
  database: Pick<Database, 'statement'>;
  cipher: Cipher;
  ttlSeconds: number;
  monotonic: () => number;
  log?: { warn(message: string): void; info(message: string): void };
}): CachedSettings {
  const { database, cipher, ttlSeconds, monotonic, log } = options;
  const store = settingsStore(database);
  let followed: number | undefined;
  const shared = {
    ttlMs: ttlSeconds * 1000,
    monotonic,
    isOutage: isUnavailable,
    onOutage: (begins: boolean) =>
      begins
        ? log?.warn('settings cannot be read: the last known values stay in use')
        : log?.info('settings can be read again'),
  };

  function open(key: string, value: string): ReadableSetting | CipherError {
    try {
      return { value: cipher.decrypt(value, { setting: key }), encrypted: true };
    } catch (error) {
      if (error instanceof CipherError) return error;
      throw error;
    }
  }

  const values = staleIfErrorCache<ReadableSetting | CipherError | undefined>({
    ...shared,
    async load(key) {
      const setting = await store.find(key);
      return setting?.encrypted ? open(key, setting.value) : setting && { value: setting.value, encrypted: false };
    },
  });
  const keyLists = staleIfErrorCache<readonly string[]>({ ...shared, load: store.keysFrom });

  return {
    get: async (key) => orThrow(await values.get(key)),
    atHand(key) {
      const known = values.atHand(key);
      return known && { setting: orThrow(known.answer) };
    },
    keys: (prefix) => keyLists.get(prefix),
    invalidate(key) {
      values.forget((other) => key === undefined || other === key);
      keyLists.forget((prefix) => key === undefined || key.startsWith(prefix));
    },
    counts: values.counts,
    follow(version) {
      if (version === followed) return;
      followed = version;
      values.expire();
      keyLists.expire();
    },
  };
}

/** Decryption failures are cached, too, so that they are not retried at every use. */
function orThrow(outcome: ReadableSetting | CipherError | undefined): ReadableSetting | undefined {
  if (outcome instanceof CipherError) throw outcome;
  return outcome;
}
