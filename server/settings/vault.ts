import type { Knex } from 'knex';
import type { AuditDetails } from '../../shared/audit.ts';
import {
  type EncryptInput,
  isAlwaysEncrypted,
  type Setting,
  type SettingChange,
  type SettingInput,
  type SettingRestoration,
  type SettingVersion,
} from '../../shared/settings.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { Database } from '../db/database.ts';
import { badRequest } from '../http/errors.ts';
import { settingVersions } from './history.ts';
import { assertMet, parseSettingInput, parseSettingKey, type SettingPrecondition } from './input.ts';
import { openValue, settingPages, settingsStore } from './store.ts';

/** A setting after a change, and the number of the version kept of its earlier value, if any. */
export interface ChangedSetting {
  setting: Setting;
  created: boolean;
  kept: number | undefined;
}

/**
 * The settings. Every write, deletion and decryption is recorded under the requesting identity (`actor`), or does not
 * happen. A change and its record are one transaction, which also keeps the earlier value of the setting.
 * @param options.onChange called with a key once its change is committed
 */
export function createSettingsVault(options: {
  database: Database;
  cipher: Cipher;
  audit: AuditTrail;
  onChange: (key: string) => void;
  now: () => number;
}) {
  const { database, cipher, audit, onChange, now } = options;
  const store = settingsStore(database);
  const versions = settingVersions(database, now);

  /** @param plan returns the setting as it is after the change, or that there is none; undefined to change nothing */
  async function change<After extends Setting | undefined>(
    key: string,
    actor: string,
    plan: (
      before: Setting | undefined,
      trx: Knex.Transaction,
    ) => Promise<{ action: SettingChange; details?: AuditDetails; after: After } | undefined>,
  ) {
    const changed = await database.transaction(async (trx) => {
      const sequence = await audit.lock(trx);
      const before = await store.findIn(trx, key);
      const planned = await plan(before, trx);
      if (planned === undefined) return undefined;
      const { action, details, after } = planned;
      await audit.record({ action, actor, target: key, ...(details && { details }) }, trx);
      if (after === undefined) await store.remove(trx, key);
      else await store.save(trx, after, before !== undefined);
      const kept = await versions.note(trx, { key, before, after, sequence, actor, action });
      return { setting: after, created: before === undefined, kept };
    });
    if (changed !== undefined) onChange(key);
    return changed;
  }

  /** Decrypts a value, and records whether that succeeded. @throws ApiError `decryption_failed` */
  async function open(key: string, ciphertext: string, actor: string, version?: number): Promise<string> {
    const value = openValue(cipher, key, ciphertext);
    const opened = typeof value === 'string';
    const details = { opened, ...(version !== undefined && { version }) };
    await audit.record({ action: 'setting_decrypt', actor, target: key, details });
    if (!opened) throw value;
    return value;
  }

  /** @throws ApiError */
  function restored(key: string, version: SettingVersion, stored: Setting | undefined): Setting {
    const { category } = version;
    if (!version.encrypted && isAlwaysEncrypted(key))
      throw badRequest('version', 'was stored in plain text and cannot be restored: this key holds a credential');
    const plain = version.encrypted ? openValue(cipher, key, version.value) : version.value;
    if (typeof plain !== 'string') throw plain;
    const encrypted = version.encrypted || stored?.encrypted === true;
    const value = encrypted ? cipher.encrypt(plain, { setting: key }) : plain;
    return { key, value, encrypted, category, updated_at: new Date(now()).toISOString() };
  }

  return {
    /** All settings, or those of a category, by key; values of encrypted ones are ciphertext. */
    list: (category?: string) => store.batches('', category),
    page: settingPages(database, store),
    get: store.find,
    /** The setting with its value in plain text. @throws ApiError `decryption_failed` if no key decrypts it */
    async reveal(key: string, actor: string) {
      const setting = await store.find(key);
      return setting?.encrypted ? { ...setting, value: await open(key, setting.value, actor) } : setting;
    },
    /**
     * Creates or updates. An absent `encrypted` or `category` keeps the stored one, so that a secret stays encrypted.
     * @throws ApiError `precondition_failed`
     */
    async put(input: SettingInput, actor: string, precondition?: SettingPrecondition) {
      const { key } = input;
      const changed = await change(key, actor, async (before) => {
        assertMet(precondition, before);
        const encrypted = isAlwaysEncrypted(key) || (input.encrypted ?? before?.encrypted ?? false);
        const category = input.category === undefined ? (before?.category ?? null) : input.category;
        const value = encrypted ? cipher.encrypt(input.value, { setting: key }) : input.value;
        const after: Setting = { key, value, encrypted, category, updated_at: new Date(now()).toISOString() };
        return { action: 'setting_write', details: { created: before === undefined, encrypted, category }, after };
      });
      return changed as ChangedSetting;
    },
    /** @returns the version kept; undefined if there was no such setting @throws ApiError `precondition_failed` */
    async remove(key: string, actor: string, precondition?: SettingPrecondition) {
      const changed = await change(key, actor, async (before) => {
        if (before === undefined) return undefined;
        assertMet(precondition, before);
        return { action: 'setting_delete', after: undefined };
      });
      return changed?.kept;
    },
    /** Encrypts a value for the setting `key`, or for no setting. Nothing is stored. */
    async encryptValue({ key, value }: EncryptInput, actor: string) {
      const ciphertext = cipher.encrypt(value, key === undefined ? 'no setting' : { setting: key });
      await audit.record({ action: 'value_encrypt', actor, target: key ?? null });
      return ciphertext;
    },
    /** The earlier versions of settings. */
    history: {
      /** Newest first; values of encrypted ones are ciphertext. */
      versions: versions.of,
      /** A version with its value in plain text. @throws ApiError `decryption_failed` if no key decrypts it */
      async reveal({ key, version }: SettingRestoration, actor: string) {
        const found = (await versions.of(key)).find((one) => one.version === version);
        return found?.encrypted ? { ...found, value: await open(key, found.value, actor, version) } : found;
      },
      /**
       * Makes a version the setting again, even if the setting was deleted. An encrypted setting stays encrypted.
       * @returns undefined if there is no such version
       * @throws ApiError `precondition_failed`, `bad_request` for plain text that has to be encrypted,
       * `decryption_failed`
       */
      restore: ({ key, version }: SettingRestoration, actor: string, precondition?: SettingPrecondition) =>
        change(key, actor, async (before, trx) => {
          const found = await versions.findIn(trx, key, version);
          if (found === undefined) return undefined;
          assertMet(precondition, before);
          return { action: 'setting_restore', details: { version }, after: restored(key, found, before) };
        }),
      /** Removes every version; the setting itself stays. */
      forget: (key: string, actor: string) =>
        database.transaction(async (trx) => {
          await audit.lock(trx);
          const count = await versions.forget(trx, key);
          await audit.record({ action: 'setting_forget', actor, target: key, details: { versions: count } }, trx);
        }),
    },
  };
}

export type SettingsVault = ReturnType<typeof createSettingsVault>;

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
