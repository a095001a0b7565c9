import { createCipher } from './crypto/cipher.ts';
import { parseDatabaseUrl } from './db/database-address.ts';
import { openDatabase } from './db/open-database.ts';
import { cachedSettings } from './features/settings/cached-settings.ts';

/** Reads settings straight from the dashboard's database, for the services that use them. */
export interface SettingsReader {
  /**
   * The setting's value in plain text; undefined when there is none. While the database is away the last value is
   * served on.
   * @throws when the value cannot be decrypted, or the database is away and the value was never read
   */
  get(key: string): Promise<string | undefined>;
  /** Forgets one setting, or all, so that the next `get` asks the database. */
  invalidate(key?: string): void;
  close(): Promise<void>;
}

/**
 * @param options.databaseUrl the dashboard's `DATABASE_URL`
 * @param options.encryptionKeys the dashboard's `ENCRYPTION_KEY`, then older ones that may still be in use
 * @param options.ttlSeconds how old a value may be: 60 seconds when absent
 * @throws Error when the address is not valid or no key is given; the message holds neither
 */
export function createSettingsReader(options: {
  databaseUrl: string;
  encryptionKeys: readonly string[];
  ttlSeconds?: number;
}): SettingsReader {
  const [current, ...previous] = options.encryptionKeys;
  if (current === undefined) throw new Error('encryptionKeys must hold at least one key');
  const database = openDatabase(parseDatabaseUrl(options.databaseUrl), { warn: () => {} });
  const settings = cachedSettings({
    database,
    cipher: createCipher({ current, previous }),
    ttlSeconds: options.ttlSeconds ?? 60,
    monotonic: () => performance.now(),
  });
  return {
    get: async (key) => (await settings.get(key))?.value,
    invalidate: settings.invalidate,
    close: database.close,
  };
}
