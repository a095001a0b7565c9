import { BoundedMap } from '../caches.ts';
import { type Cipher, CipherError } from '../crypto/cipher.ts';
import type { Database } from '../db/database.ts';
import { isUnavailable } from '../db/errors.ts';
import { openValue, settingsStore } from './store.ts';

const ENTRIES_MAX = 10_000;
const RETRY_MS = 5_000;

interface Entry<T> {
  cached: { value: T; freshUntil: number } | undefined;
  loading: Promise<T> | undefined;
}

/**
 * Stale-if-error cache: keeps values for a limited time, loads each once for concurrent callers, and serves the last
 * value during an outage.
 * @param options.onOutage called with true when an outage begins, and with false when it ends
 */
export function staleIfErrorCache<T>(options: {
  load: (key: string) => Promise<T>;
  ttlMs: number;
  monotonic: () => number;
  isOutage: (error: unknown) => boolean;
  onOutage: (begins: boolean) => void;
}) {
  const { load, ttlMs, monotonic, isOutage, onOutage } = options;
  const entries = new BoundedMap<string, Entry<T>>(ENTRIES_MAX);
  /** Values served from the cache, and loads, since the process started. */
  const counts = { hits: 0, misses: 0 };
  let outage = false;

  function noteOutage(begins: boolean): void {
    if (begins !== outage) onOutage(begins);
    outage = begins;
  }

  async function refresh(key: string, entry: Entry<T>): Promise<T> {
    counts.misses += 1;
    try {
      const value = await load(key);
      noteOutage(false);
      entry.cached = { value, freshUntil: monotonic() + ttlMs };
      return value;
    } catch (error) {
      if (isOutage(error)) noteOutage(true);
      if (entry.cached === undefined || !isOutage(error)) {
        if (entries.get(key) === entry) entries.delete(key);
        throw error;
      }
      entry.cached.freshUntil = monotonic() + RETRY_MS;
      return entry.cached.value;
    }
  }

  return {
    /** The cached value while it is fresh, otherwise a new one; during an outage, the last one. */
    async get(key: string) {
      const entry: Entry<T> = entries.get(key) ?? { cached: undefined, loading: undefined };
      entries.set(key, entry);
      if (entry.cached !== undefined && monotonic() < entry.cached.freshUntil) {
        counts.hits += 1;
        return entry.cached.value;
      }
      entry.loading ??= refresh(key, entry).finally(() => {
        entry.loading = undefined;
      });
      const value = entry.loading;
      // Do not wait for a database that is unavailable.
      if (outage && entry.cached !== undefined) {
        value.catch(() => {});
        return entry.cached.value;
      }
      return value;
    },
    /** Drops entries immediately, including those being loaded. */
    forget(matches: (key: string) => boolean) {
      // A load in progress keeps its own entry, which later callers do not find.
      for (const key of entries.keys()) if (matches(key)) entries.delete(key);
    },
    counts: () => counts,
    /** Call it when the source has changed: all values, also those being loaded, are outdated, but serve an outage. */
    expire() {
      noteOutage(false);
      for (const [key, { cached }] of entries)
        entries.set(key, { cached: cached && { ...cached, freshUntil: Number.NEGATIVE_INFINITY }, loading: undefined });
    },
  };
}

/**
 * Settings for use at run time: read at most once per `ttlSeconds`, shared by concurrent callers, and served stale
 * while the database is unavailable.
 * @param options.log receives outages, never a key or a value
 */
export function cachedSettings(options: {
  database: Pick<Database, 'statement'>;
  cipher: Cipher;
  ttlSeconds: number;
  monotonic: () => number;
  log?: { warn(message: string): void; info(message: string): void };
}) {
  const { database, cipher, ttlSeconds, monotonic, log } = options;
  // Not the whole row: a settings reader may be newer than the database, and so know columns that do not exist yet.
  const stored = database.statement<{ value: string; encrypted: number }>(
    'select value, encrypted from settings where `key` = ?',
  );
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

  const values = staleIfErrorCache({
    ...shared,
    async load(key: string) {
      const row = await stored.get(key);
      if (row === undefined) return undefined;
      const encrypted = row.encrypted !== 0;
      const value = encrypted ? openValue(cipher, key, row.value) : row.value;
      return value instanceof CipherError ? value : { value, encrypted };
    },
  });
  const keyLists = staleIfErrorCache<readonly string[]>({ ...shared, load: settingsStore(database).keysFrom });

  return {
    /**
     * A setting in plain text, and whether it is stored encrypted. Undefined if there is none; that is cached as well.
     * @throws CipherError if no key decrypts it; an error that `isUnavailable` recognises if the database is unavailable
     * and nothing is cached
     */
    async get(key: string) {
      const outcome = await values.get(key);
      // Decryption failures are cached, too, so that they are not retried at every use.
      if (outcome instanceof CipherError) throw outcome;
      return outcome;
    },
    /** The keys that begin with `prefix`, in byte order. */
    keys: (prefix: string) => keyLists.get(prefix),
    /** Drops one setting from the cache, or all. */
    invalidate(key?: string) {
      values.forget((other) => key === undefined || other === key);
      keyLists.forget((prefix) => key === undefined || key.startsWith(prefix));
    },
    counts: values.counts,
    /**
     * Makes each setting be read again when it is next used, if the number differs from that of the last call.
     * @param version the number of the last change of settings in the database
     */
    follow(version: number) {
      if (version === followed) return;
      followed = version;
      values.expire();
      keyLists.expire();
    },
  };
}

export type CachedSettings = ReturnType<typeof cachedSettings>;
