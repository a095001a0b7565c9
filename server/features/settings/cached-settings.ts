import { type Cipher, CipherError } from '../../crypto/cipher.ts';
import type { Database } from '../../db/database.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { settingsStore } from './settings-store.ts';
import { type CacheCounts, staleIfErrorCache } from './stale-if-error-cache.ts';

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
