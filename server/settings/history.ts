import type { Knex } from 'knex';
import {
  SETTING_VERSION_DAYS,
  SETTING_VERSIONS_MAX,
  type Setting,
  type SettingChange,
  type SettingVersion,
} from '../../shared/settings.ts';
import { type Database, deleteOldBatch } from '../db/database.ts';

const TABLE = 'setting_versions';
const KEPT_MS = SETTING_VERSION_DAYS * 86_400_000;
/** How many outdated versions of any setting a write removes: only a few, since their values may be long. */
const OUTDATED_BATCH = 50;

type VersionRow = Omit<SettingVersion, 'encrypted'> & { encrypted: number };

/** A change to a setting, in the transaction that makes it. */
interface NotedChange {
  key: string;
  before: Setting | undefined;
  after: Setting | undefined;
  /** The sequence of its audit record. */
  sequence: number;
  actor: string;
  action: SettingChange;
}

/**
 * Earlier values of settings, as stored. Only the latest `SETTING_VERSIONS_MAX` of a setting are found, and none that
 * was replaced more than `SETTING_VERSION_DAYS` days ago.
 */
export function settingVersions(database: Database, now: () => number) {
  const columns = 'version, value, encrypted, category, replaced_at as `at`, actor, action';
  // An older release running alongside this one encrypts a setting without removing its plain-text versions.
  const visible = database.statement<VersionRow>(
    `select ${columns} from ${TABLE} where \`key\` = ? and replaced_at >= ? and (encrypted = 1 or not exists (
       select 1 from settings where settings.\`key\` = ${TABLE}.\`key\` and settings.encrypted = 1
     )) order by version desc limit ${SETTING_VERSIONS_MAX}`,
  );
  const oldest = (): string => new Date(now() - KEPT_MS).toISOString();

  return {
    /** Newest first. If the setting is encrypted now, without its plain-text versions. */
    of: async (key: string) => (await visible.all(key, oldest())).map(toVersion),
    async findIn(trx: Knex.Transaction, key: string, version: number) {
      const found = await trx(TABLE)
        .where({ key, version })
        .where('replaced_at', '>=', oldest())
        .first<VersionRow | undefined>(trx.raw(columns));
      return found && toVersion(found);
    },
    /**
     * Stores the value that the setting had, and removes plain-text versions of a setting that is or was encrypted, as
     * well as versions that are too many or too old.
     * @returns the version stored, if any
     */
    async note(trx: Knex.Transaction, { key, before, after, sequence, actor, action }: NotedChange) {
      const secret = before?.encrypted || after?.encrypted;
      if (secret) await trx(TABLE).where({ key, encrypted: 0 }).delete();
      const kept = before !== undefined && (before.encrypted || !secret);
      if (kept) {
        const { value, category, encrypted } = before;
        const replaced_at = new Date(now()).toISOString();
        const row = { key, version: sequence, value, encrypted: Number(encrypted), category };
        await trx(TABLE).insert({ ...row, actor, action, replaced_at });
      }
      const latest = trx(TABLE).where({ key }).orderBy('version', 'desc');
      const [tooMany] = await latest.offset(SETTING_VERSIONS_MAX).limit(1).pluck('version');
      if (tooMany !== undefined) await trx(TABLE).where({ key }).where('version', '<=', tooMany).delete();
      const outdated = { table: TABLE, column: 'replaced_at', below: oldest(), atMost: OUTDATED_BATCH };
      await deleteOldBatch(database.client, trx, outdated);
      return kept ? sequence : undefined;
    },
    /** Removes all versions of a setting. @returns how many there were */
    forget: (trx: Knex.Transaction, key: string) => trx(TABLE).where({ key }).delete(),
  };
}

const toVersion = ({ encrypted, ...row }: VersionRow): SettingVersion => ({ ...row, encrypted: encrypted !== 0 });
