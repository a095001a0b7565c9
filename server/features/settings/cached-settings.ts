import { type Cipher, CipherError } from '../../crypto/cipher.ts';
import type { Database } from '../../db/database.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { settingsStore } from './settings-store.ts';
import { staleIfErrorCache } from './stale-if-error-cache.ts';

/** A setting as its reader needs it: in plain text, and whether it is stored encrypted. */
export interface ReadableSetting {
  value: string;
  encrypted: boolean;
}

export interface CachedSettings {
  /**
   * Undefined when there is no such setting, which is remembered as well.
   * @throws CipherError when no key opens it; what `isUnavailable` recognises when the database is away and nothing is remembered
   */
  get(key: string): Promise<ReadableSetting | undefined>;
  /** The keys that begin with `prefix`, in the order of their bytes. */
  keys(prefix: string): Promise<readonly string[]>;
  /** Forgets one setting, or all. */
  invalidate(key?: string): void;
}

/**
 * Settings for use at run time: read at most once in `ttlSeconds`, once for many callers, and served on while the
 * database is away.
 * @param options.log hears of outages, never of a key or a value
 * @param options.monotonic milliseconds on a clock that only goes forward
 */
export function cachedSettings(options: {
  database: Database;
  cipher: Cipher;
  ttlSeconds: number;
  monotonic: () => number;
  log?: { warn(message: string): void; info(message: string): void };
}): CachedSettings {
  const { database, cipher, ttlSeconds, monotonic, log } = options;
  const store = settingsStore(database);
  const shared = {
    ttlMs: ttlSeconds * 1000,
    monotonic,
    isOutage: isUnavailable,
    onOutage: (begins: boolean) =>
      begins
        ? log?.warn('settings cannot be read: the last known ones stay in use')
        : log?.info('settings are read again'),
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
    keys: (prefix) => keyLists.get(prefix),
    invalidate(key) {
      values.forget((other) => key === undefined || other === key);
      keyLists.forget((prefix) => key === undefined || key.startsWith(prefix));
    },
  };
}

/** What does not open is remembered like a value, so that it is not tried at every use. */
function orThrow(outcome: ReadableSetting | CipherError | undefined): ReadableSetting | undefined {
  if (outcome instanceof CipherError) throw outcome;
  return outcome;
}
