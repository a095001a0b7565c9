import {
  type EncryptInput,
  isAlwaysEncrypted,
  type Setting,
  type SettingInput,
  type SettingPage,
} from '../../shared/settings.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { Database } from '../db/database.ts';
import { type ChangedSetting, type SettingHistory, settingHistory, settingVersions } from './history.ts';
import { assertMet, parseSettingInput, parseSettingKey, type SettingPrecondition } from './input.ts';
import { isLastBatch, openValue, type SettingPageQuery, settingPages, settingsStore } from './store.ts';

/**
 * The settings. Every write, deletion and decryption is recorded under the requesting identity (`actor`) in the same
 * transaction; without its record it does not happen. A write and a deletion also keep there what the setting was.
 */
export interface SettingsVault {
  /** All settings, or those of a category, by key; values of encrypted ones are ciphertext. */
  list(category?: string): AsyncIterable<Setting[]>;
  page(query: SettingPageQuery): Promise<SettingPage>;
  get(key: string): Promise<Setting | undefined>;
  /** The setting with its value in plain text. @throws ApiError `decryption_failed` if no key decrypts it */
  reveal(key: string, actor: string): Promise<Setting | undefined>;
  /**
   * Creates or updates. An absent `encrypted` or `category` keeps the stored one, so that a secret stays encrypted.
   * @throws ApiError `precondition_failed`
   */
  put(input: SettingInput, actor: string, precondition?: SettingPrecondition): Promise<ChangedSetting>;
  /** @returns the version kept; undefined if it did not exist @throws ApiError `precondition_failed` */
  remove(key: string, actor: string, precondition?: SettingPrecondition): Promise<number | undefined>;
  /** A ciphertext bound to the setting `key`, or to no setting. Nothing is stored. */
  encryptValue(input: EncryptInput, actor: string): Promise<string>;
  history: SettingHistory;
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
  const kept = settingVersions(database, now);

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
    async reveal(key, actor) {
      const setting = await store.find(key);
      if (!setting?.encrypted) return setting;
      const value = openValue(cipher, key, setting.value);
      const opened = typeof value === 'string';
      await audit.record({ action: 'setting_decrypt', actor, target: key, details: { opened } });
      if (!opened) throw value;
      return { ...setting, value };
    },
    async put(input, actor, precondition) {
      const { key } = input;
      const outcome = await database.transaction(async (trx) => {
        const sequence = await audit.lock(trx);
        const before = await store.findIn(trx, key);
        assertMet(precondition, before);
        const encrypted = isAlwaysEncrypted(key) || (input.encrypted ?? before?.encrypted ?? false);
        const category = input.category === undefined ? (before?.category ?? null) : input.category;
        const value = encrypted ? cipher.encrypt(input.value, { setting: key }) : input.value;
        const setting: Setting = { key, value, encrypted, category, updated_at: new Date(now()).toISOString() };
        const created = before === undefined;
        const details = { created, encrypted, category };
        await audit.record({ action: 'setting_write', actor, target: key, details }, trx);
        await store.save(trx, setting, !created);
        const change = { key, before, after: setting, sequence, actor, action: 'setting_write' } as const;
        return { setting, created, kept: await kept.note(trx, change) };
      });
      onChange(key);
      return outcome;
    },
    async remove(key, actor, precondition) {
      const version = await database.transaction(async (trx) => {
        const sequence = await audit.lock(trx);
        const before = await store.findIn(trx, key);
        if (before === undefined) return undefined;
        assertMet(precondition, before);
        await audit.record({ action: 'setting_delete', actor, target: key }, trx);
        await store.remove(trx, key);
        const change = { key, before, after: undefined, sequence, actor, action: 'setting_delete' } as const;
        return kept.note(trx, change);
      });
      if (version !== undefined) onChange(key);
      return version;
    },
    async encryptValue({ key, value }, actor) {
      const ciphertext = cipher.encrypt(value, key === undefined ? 'no setting' : { setting: key });
      await audit.record({ action: 'value_encrypt', actor, target: key ?? null });
      return ciphertext;
    },
    history: settingHistory({ database, store, kept, cipher, audit, onChange, now }),
  };
}

/**
 * `settings:set KEY` with the value on standard input: the way in if a wrong key has locked everyone out. A new setting
 * is stored encrypted, an existing one as before. One trailing line break is not part of the value.
 * @throws ApiError `bad_request` that names the problem with key or value
 */
export async function setFromCommandLine(
  vault: SettingsVault,
  key: string,
  input: AsyncIterable<Uint8Array>,
): Promise<{ setting: Setting; created: boolean }> {
  const stored = await vault.get(parseSettingKey(key));
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  const value = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  const body = { key, value: value.replace(/\r?\n$/, ''), ...(stored === undefined ? { encrypted: true } : {}) };
  return vault.put(parseSettingInput(body), 'command-line');
}
