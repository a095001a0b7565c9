import type { EncryptInput, Setting, SettingInput, SettingPage } from '../../../shared/settings.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { type Cipher, CipherError } from '../../crypto/cipher.ts';
import type { Database } from '../../db/database.ts';
import { ApiError } from '../../http/api-error.ts';
import { type SettingPageQuery, settingPages } from './setting-pages.ts';
import { isAlwaysEncrypted } from './settings-input.ts';
import { isLastBatch, settingsStore } from './settings-store.ts';

/**
 * The settings. Every write, deletion and decryption is recorded under the requesting identity (`actor`) in the same
 * transaction; without its record it does not happen.
 */
export interface SettingsVault {
  /** All settings, or those of a category, by key; values of encrypted ones are ciphertext. */
  list(category?: string): AsyncIterable<Setting[]>;
  page(query: SettingPageQuery): Promise<SettingPage>;
  get(key: string): Promise<Setting | undefined>;
  /** The same in the same turn; undefined if the database has to be waited for. */
  getAtHand(key: string): { setting: Setting | undefined } | undefined;
  /** The setting with its value in plain text. @throws ApiError `decryption_failed` if no key decrypts it */
  reveal(key: string, actor: string): Promise<Setting | undefined>;
  /**
   * Creates or updates. An absent `encrypted` or `category` keeps the stored one, so that a secret stays encrypted.
   * @param only `create` leaves a stored one as it is @throws ApiError `precondition_failed` then
   */
  put(input: SettingInput, actor: string, only?: 'create'): Promise<{ setting: Setting; created: boolean }>;
  /** Whether it existed. */
  remove(key: string, actor: string): Promise<boolean>;
  /** A ciphertext bound to the setting `key`, or to no setting. Nothing is stored. */
  encryptValue(input: EncryptInput, actor: string): Promise<string>;
}

/**
 * @param options.onChange called with a key once its change is committed
 * @param options.now milliseconds since the epoch
 */
export function createSettingsVault(options: {
  database: Database;
  cipher: Cipher;
  audit: AuditTrail;
  onChange: (key: string) => void;
  now: () => number;
}): SettingsVault {
  const { database, cipher, audit, onChange, now } = options;
  const store = settingsStore(database);

  function decrypt(setting: Setting): string | ApiError {
    try {
      return cipher.decrypt(setting.value, { setting: setting.key });
    } catch (cause) {
      if (cause instanceof CipherError) return new ApiError('decryption_failed', { cause });
      throw cause;
    }
  }

  return {
    async *list(category) {
      let after = '';
      for (;;) {
        const batch = await store.batch(after, category);
        yield batch;
        const last = batch.at(-1);
        if (last === undefined || isLastBatch(batch)) return;
        after = last.key;
      }
    },
    page: settingPages(database, store),
    get: store.find,
    getAtHand: store.findAtHand,
    async reveal(key, actor) {
      const setting = await store.find(key);
      if (!setting?.encrypted) return setting;
      const value = decrypt(setting);
      const opened = typeof value === 'string';
      await audit.record({ action: 'setting_decrypt', actor, target: key, details: { opened } });
      if (!opened) throw value;
      return { ...setting, value };
    },
    async put(input, actor, only) {
      const { key } = input;
      const outcome = await database.transaction(async (trx) => {
        await audit.lock(trx);
        const stored = await store.findIn(trx, key);
        if (only === 'create' && stored !== undefined)
          throw new ApiError('precondition_failed', { message: 'A setting with this key already exists.' });
        const encrypted = isAlwaysEncrypted(key) || (input.encrypted ?? stored?.encrypted ?? false);
        const category = input.category === undefined ? (stored?.category ?? null) : input.category;
        const value = encrypted ? cipher.encrypt(input.value, { setting: key }) : input.value;
        const setting: Setting = { key, value, encrypted, category, updated_at: new Date(now()).toISOString() };
        const created = stored === undefined;
        const details = { created, encrypted, category };
        await audit.record({ action: 'setting_write', actor, target: key, details }, trx);
        await store.save(trx, setting, !created);
        return { setting, created };
      });
      onChange(key);
      return outcome;
    },
    async remove(key, actor) {
      const removed = await database.transaction(async (trx) => {
        await audit.lock(trx);
        if (!(await store.remove(trx, key))) return false;
        await audit.record({ action: 'setting_delete', actor, target: key }, trx);
        return true;
      });
      if (removed) onChange(key);
      return removed;
    },
    async encryptValue({ key, value }, actor) {
      const ciphertext = cipher.encrypt(value, key === undefined ? 'no setting' : { setting: key });
      await audit.record({ action: 'value_encrypt', actor, target: key ?? null });
      return ciphertext;
    },
  };
}
