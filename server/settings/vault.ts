import { hash } from 'node:crypto';
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
import { withReason } from '../audit/event.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { type Cipher, CipherError } from '../crypto/cipher.ts';
import type { Database } from '../db/database.ts';
import { settingVersions } from './history.ts';
import { openValue, settingPages, settingsStore } from './store.ts';

/** A setting after a change, and the number of the version kept of its earlier value, if any. */
export interface ChangedSetting {
  setting: Setting;
  created: boolean;
  kept: number | undefined;
}

/** What must be stored for a change to be made: nothing (`create`), or a setting with a matching entity tag. */
export type SettingPrecondition = 'create' | ((tag: string) => boolean);

/** A strong entity tag (RFC 9110, section 8.8.3) of a setting as stored; new after each write of an encrypted one. */
export function settingTag({ value, encrypted, category, updated_at }: Setting): string {
  const text = JSON.stringify([value, encrypted, category, updated_at]);
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}

/** @throws SettingRefused */
function assertMet(precondition: SettingPrecondition | undefined, stored: Setting | undefined): void {
  if (precondition === undefined) return;
  if (precondition === 'create') {
    if (stored !== undefined) throw new SettingRefused('exists');
  } else if (stored === undefined || !precondition(settingTag(stored))) throw new SettingRefused('changed');
}

/**
 * Why nothing was done. `changed`, `exists`: the precondition is not met. `undecryptable`: no key decrypts the value.
 * `plain_credential`: an earlier version in plain text of a setting that is always encrypted.
 */
export type SettingRefusal = 'changed' | 'exists' | 'undecryptable' | 'plain_credential';

export class SettingRefused extends Error {
  readonly reason: SettingRefusal;

  constructor(reason: SettingRefusal, cause?: CipherError) {
    super(`setting refused: ${reason}`, { cause });
    this.name = 'SettingRefused';
    this.reason = reason;
  }
}

/**
 * The settings. Every write, deletion and decryption is recorded under the requesting identity (`actor`), or does not
 * happen. A change and its record are one transaction, which also keeps the earlier value of the setting. `reason` is the
 * operator's, for the record.
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
    reason: string | undefined,
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
      await audit.record({ action, actor, target: key, ...withReason(reason, details) }, trx);
      if (after === undefined) await store.remove(trx, key);
      else await store.save(trx, after, before !== undefined);
      const kept = await versions.note(trx, { key, before, after, sequence, actor, action });
      return { setting: after, created: before === undefined, kept };
    });
    if (changed !== undefined) onChange(key);
    return changed;
  }

  /** Decrypts a value, and records whether that succeeded. @throws SettingRefused */
  async function open(key: string, ciphertext: string, actor: string, version?: number): Promise<string> {
    const value = openValue(cipher, key, ciphertext);
    const opened = typeof value === 'string';
    const details = { opened, ...(version !== undefined && { version }) };
    await audit.record({ action: 'setting_decrypt', actor, target: key, details });
    if (!opened) throw new SettingRefused('undecryptable', value);
    return value;
  }

  /** @throws SettingRefused */
  function restored(key: string, version: SettingVersion, stored: Setting | undefined): Setting {
    const { category } = version;
    if (!version.encrypted && isAlwaysEncrypted(key)) throw new SettingRefused('plain_credential');
    const plain = version.encrypted ? openValue(cipher, key, version.value) : version.value;
    if (plain instanceof CipherError) throw new SettingRefused('undecryptable', plain);
    const encrypted = version.encrypted || stored?.encrypted === true;
    const value = encrypted ? cipher.encrypt(plain, { setting: key }) : plain;
    return { key, value, encrypted, category, updated_at: new Date(now()).toISOString() };
  }

  return {
    /** All settings, or those of a category, by key; values of encrypted ones are ciphertext. */
    list: (category?: string) => store.batches('', category),
    page: settingPages(database, store),
    get: store.find,
    /** The setting with its value in plain text. @throws SettingRefused if no key decrypts it */
    async reveal(key: string, actor: string) {
      const setting = await store.find(key);
      return setting?.encrypted ? { ...setting, value: await open(key, setting.value, actor) } : setting;
    },
    /**
     * Creates or updates. An absent `encrypted` or `category` keeps the stored one, so that a secret stays encrypted.
     * @throws SettingRefused
     */
    async put(input: SettingInput, actor: string, precondition?: SettingPrecondition, reason?: string) {
      const { key } = input;
      const changed = await change(key, actor, reason, async (before) => {
        assertMet(precondition, before);
        const encrypted = isAlwaysEncrypted(key) || (input.encrypted ?? before?.encrypted ?? false);
        const category = input.category === undefined ? (before?.category ?? null) : input.category;
        const value = encrypted ? cipher.encrypt(input.value, { setting: key }) : input.value;
        const after: Setting = { key, value, encrypted, category, updated_at: new Date(now()).toISOString() };
        return { action: 'setting_write', details: { created: before === undefined, encrypted, category }, after };
      });
      return changed as ChangedSetting;
    },
    /** @returns the version kept; undefined if there was no such setting @throws SettingRefused */
    async remove(key: string, actor: string, precondition?: SettingPrecondition, reason?: string) {
      const changed = await change(key, actor, reason, async (before) => {
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
      /** A version with its value in plain text. @throws SettingRefused if no key decrypts it */
      async reveal({ key, version }: SettingRestoration, actor: string) {
        const found = (await versions.of(key)).find((one) => one.version === version);
        return found?.encrypted ? { ...found, value: await open(key, found.value, actor, version) } : found;
      },
      /**
       * Makes a version the setting again, even if the setting was deleted. An encrypted setting stays encrypted.
       * @returns undefined if there is no such version
       * @throws SettingRefused
       */
      restore: (
        { key, version }: SettingRestoration,
        actor: string,
        precondition?: SettingPrecondition,
        reason?: string,
      ) =>
        change(key, actor, reason, async (before, trx) => {
          const found = await versions.findIn(trx, key, version);
          if (found === undefined) return undefined;
          assertMet(precondition, before);
          return { action: 'setting_restore', details: { version }, after: restored(key, found, before) };
        }),
      /** Removes every version; the setting itself stays. */
      forget: (key: string, actor: string, reason?: string) =>
        database.transaction(async (trx) => {
          await audit.lock(trx);
          const count = await versions.forget(trx, key);
          const details = { versions: count };
          await audit.record({ action: 'setting_forget', actor, target: key, ...withReason(reason, details) }, trx);
        }),
    },
  };
}

export type SettingsVault = ReturnType<typeof createSettingsVault>;
