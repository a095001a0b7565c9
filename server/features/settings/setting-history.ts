import type { Knex } from 'knex';
import type { Setting, SettingRestoration, SettingVersion } from '../../../shared/settings.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import type { Database } from '../../db/database.ts';
import { badRequest } from '../../http/api-error.ts';
import { openValue } from './open-value.ts';
import { assertMet, type SettingPrecondition } from './setting-precondition.ts';
import type { SettingVersions } from './setting-versions.ts';
import { isAlwaysEncrypted } from './settings-input.ts';
import type { SettingsStore } from './settings-store.ts';

/** What settings were, and how they become that again. Everything but reading is recorded in its transaction. */
export interface SettingHistory {
  /** Newest first; values of encrypted ones are ciphertext. */
  versions(key: string): Promise<SettingVersion[]>;
  /** One of them in plain text. @throws ApiError `decryption_failed` if no key decrypts it */
  reveal(restoration: SettingRestoration, actor: string): Promise<SettingVersion | undefined>;
  /**
   * Stores a version as the setting, which may have been deleted. A setting that is encrypted stays so.
   * @returns undefined if there is no such version
   * @throws ApiError `precondition_failed`, `bad_request` for plain text that has to be encrypted, `decryption_failed`
   */
  restore(
    restoration: SettingRestoration,
    actor: string,
    precondition?: SettingPrecondition,
  ): Promise<ChangedSetting | undefined>;
  /** Removes every version; the setting stays. */
  forget(key: string, actor: string): Promise<void>;
}

/** A setting after a change, and the version kept of what it was, if there is one. */
export interface ChangedSetting {
  setting: Setting;
  created: boolean;
  kept: number | undefined;
}

/** @param now milliseconds since the epoch */
export function settingHistory(parts: {
  database: Database;
  store: SettingsStore;
  kept: SettingVersions;
  cipher: Cipher;
  audit: AuditTrail;
  onChange: (key: string) => void;
  now: () => number;
}): SettingHistory {
  const { database, store, kept, cipher, audit, onChange, now } = parts;

  /** @throws ApiError */
  function asStored(key: string, version: SettingVersion, stored: Setting | undefined): Setting {
    const { category } = version;
    if (!version.encrypted && isAlwaysEncrypted(key))
      throw badRequest('version', 'was stored in plain text and cannot be restored: this key holds a credential');
    const plain = version.encrypted ? openValue(cipher, key, version.value) : version.value;
    if (typeof plain !== 'string') throw plain;
    const encrypted = version.encrypted || stored?.encrypted === true;
    const value = encrypted ? cipher.encrypt(plain, { setting: key }) : plain;
    return { key, value, encrypted, category, updated_at: new Date(now()).toISOString() };
  }

  const restoreIn = async (
    trx: Knex.Transaction,
    { key, version }: SettingRestoration,
    actor: string,
    precondition: SettingPrecondition | undefined,
  ): Promise<ChangedSetting | undefined> => {
    const sequence = await audit.lock(trx);
    const [found, before] = [await kept.findIn(trx, key, version), await store.findIn(trx, key)];
    if (found === undefined) return undefined;
    assertMet(precondition, before);
    const setting = asStored(key, found, before);
    await audit.record({ action: 'setting_restore', actor, target: key, details: { version } }, trx);
    await store.save(trx, setting, before !== undefined);
    const change = { key, before, after: setting, sequence, actor, action: 'setting_restore' } as const;
    return { setting, created: before === undefined, kept: await kept.note(trx, change) };
  };

  return {
    versions: kept.of,
    async reveal({ key, version }, actor) {
      const found = (await kept.of(key)).find((one) => one.version === version);
      if (!found?.encrypted) return found;
      const value = openValue(cipher, key, found.value);
      const opened = typeof value === 'string';
      await audit.record({ action: 'setting_decrypt', actor, target: key, details: { opened, version } });
      if (!opened) throw value;
      return { ...found, value };
    },
    async restore(restoration, actor, precondition) {
      const restored = await database.transaction((trx) => restoreIn(trx, restoration, actor, precondition));
      if (restored !== undefined) onChange(restoration.key);
      return restored;
    },
    async forget(key, actor) {
      await database.transaction(async (trx) => {
        await audit.lock(trx);
        const versions = await kept.forget(trx, key);
        await audit.record({ action: 'setting_forget', actor, target: key, details: { versions } }, trx);
      });
    },
  };
}
