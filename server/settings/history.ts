import type { Knex } from 'knex';
import {
  isAlwaysEncrypted,
  SETTING_VERSION_DAYS,
  SETTING_VERSIONS_MAX,
  type Setting,
  type SettingChange,
  type SettingRestoration,
  type SettingVersion,
} from '../../shared/settings.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { type Database, deleteOldBatch } from '../db/database.ts';
import { badRequest } from '../http/errors.ts';
import { assertMet, type SettingPrecondition } from './input.ts';
import { openValue, type SettingsStore } from './store.ts';

const TABLE = 'setting_versions';
const KEPT_MS = SETTING_VERSION_DAYS * 86_400_000;
/** How many outdated versions of any setting a write removes: their values may be long. */
const OUTDATED_BATCH = 50;

interface VersionRow {
  version: number;
  value: string;
  encrypted: number;
  category: string | null;
  at: string;
  actor: string;
  action: SettingChange;
}

/** A change of a setting, in the transaction that makes it. */
export interface NotedChange {
  key: string;
  before: Setting | undefined;
  after: Setting | undefined;
  /** The sequence of its audit record. */
  sequence: number;
  actor: string;
  action: SettingChange;
}

/** What settings were before their changes, as stored. Only the latest `SETTING_VERSIONS_MAX` of a year are found. */
export interface SettingVersions {
  /** Newest first. Of a setting that is encrypted now, no version in plain text. */
  of(key: string): Promise<SettingVersion[]>;
  findIn(trx: Knex.Transaction, key: string, version: number): Promise<SettingVersion | undefined>;
  /**
   * Keeps what the setting was, and removes what has to go: versions in plain text of a setting that is or was
   * encrypted, and those that are too many or too old. @returns the version kept, if one was
   */
  note(trx: Knex.Transaction, change: NotedChange): Promise<number | undefined>;
  /** @returns how many there were */
  forget(trx: Knex.Transaction, key: string): Promise<number>;
}

/** @param now milliseconds since the epoch */
export function settingVersions(database: Database, now: () => number): SettingVersions {
  const columns = 'version, value, encrypted, category, replaced_at as `at`, actor, action';
  // An older release, running beside this one, encrypts a setting without removing its plain versions.
  const visible = database.statement<VersionRow>(
    `select ${columns} from ${TABLE} where \`key\` = ? and replaced_at >= ? and (encrypted = 1 or not exists (
       select 1 from settings where settings.\`key\` = ${TABLE}.\`key\` and settings.encrypted = 1
     )) order by version desc limit ${SETTING_VERSIONS_MAX}`,
  );
  const oldest = (): string => new Date(now() - KEPT_MS).toISOString();

  async function prune(trx: Knex.Transaction, key: string): Promise<void> {
    const latest = trx(TABLE).where({ key }).orderBy('version', 'desc');
    const [tooMany] = await latest.offset(SETTING_VERSIONS_MAX).limit(1).pluck('version');
    if (tooMany !== undefined) await trx(TABLE).where({ key }).where('version', '<=', tooMany).delete();
    const outdated = { table: TABLE, column: 'replaced_at', below: oldest(), atMost: OUTDATED_BATCH };
    await deleteOldBatch(database.client, trx, outdated);
  }

  return {
    of: async (key) => (await visible.all(key, oldest())).map(toVersion),
    async findIn(trx, key, version) {
      const found = await trx(TABLE)
        .where({ key, version })
        .where('replaced_at', '>=', oldest())
        .first<VersionRow | undefined>(trx.raw(columns));
      return found && toVersion(found);
    },
    async note(trx, { key, before, after, sequence, actor, action }) {
      const secret = before?.encrypted || after?.encrypted;
      if (secret) await trx(TABLE).where({ key, encrypted: 0 }).delete();
      const kept = before !== undefined && (before.encrypted || !secret);
      if (kept) {
        const { value, category, encrypted } = before;
        const replaced_at = new Date(now()).toISOString();
        const row = { key, version: sequence, value, encrypted: Number(encrypted), category };
        await trx(TABLE).insert({ ...row, actor, action, replaced_at });
      }
      await prune(trx, key);
      return kept ? sequence : undefined;
    },
    forget: (trx, key) => trx(TABLE).where({ key }).delete(),
  };
}

const toVersion = ({ version, value, encrypted, category, at, actor, action }: VersionRow): SettingVersion => ({
  version,
  value,
  encrypted: encrypted !== 0,
  category,
  at,
  actor,
  action,
});

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
