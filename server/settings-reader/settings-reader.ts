import { createCipher } from '../crypto/cipher.ts';
import { parseDatabaseUrl } from '../db/database-address.ts';
import { cachedSettings } from '../settings/cache.ts';
import { openReadOnly } from './read-only-database.ts';

/**
 * Reads settings directly from the dashboard's database, for services that use them.
 * @param options.databaseUrl the dashboard's `DATABASE_URL`
 * @param options.encryptionKeys the dashboard's `ENCRYPTION_KEY`, followed by older ones still in use
 * @param options.ttlSeconds how old a value may get; 60 seconds by default
 * @throws Error for an invalid address or no key; the message contains neither
 */
export function createSettingsReader(options: {
  databaseUrl: string;
  encryptionKeys: readonly string[];
  ttlSeconds?: number;
}) {
  const [current, ...previous] = options.encryptionKeys;
  if (current === undefined) throw new Error('encryptionKeys must contain at least one key');
  const database = openReadOnly(parseDatabaseUrl(options.databaseUrl));
  const settings = cachedSettings({
    database,
    cipher: createCipher({ current, previous }),
    ttlSeconds: options.ttlSeconds ?? 60,
    monotonic: () => performance.now(),
  });
  return {
    /**
     * The setting's value in plain text; undefined if it does not exist. While the database is unavailable, the last
     * value is returned.
     * @throws if the value cannot be decrypted, or the database is unavailable and the value was never read
     */
    get: async (key: string) => (await settings.get(key))?.value,
    /** Drops one setting from the cache, or all, so that the next `get` queries the database. */
    invalidate: settings.invalidate,
    close: database.close,
  };
}

export type SettingsReader = ReturnType<typeof createSettingsReader>;
