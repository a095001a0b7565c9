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
/** How many outdated versions of any setting a write removes: their values may be long. */
const OUTDATED_BATCH = 50;

type VersionRow = Omit<SettingVersion, 'encrypted'> & { encrypted: number };

/** A change of a setting, in the transaction that makes it. */
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
 * What settings were before their changes, as stored. Only the latest `SETTING_VERSIONS_MAX` of a year are found.
 */
export function settingVersions(database: Database, now: () => number) {
  const columns = 'version, value, encrypted, category, replaced_at as `at`, actor, action';
  // An older release, running beside this one, encrypts a setting without removing its plain versions.
  const visible = database.statement<VersionRow>(
    `select ${columns} from ${TABLE} where \`key\` = ? and replaced_at >= ? and (encrypted = 1 or not exists (
       select 1 from settings where settings.\`key\` = ${TABLE}.\`key\` and settings.encrypted = 1
     )) order by version desc limit ${SETTING_VERSIONS_MAX}`,
  );
  const oldest = (): string => new Date(now() - KEPT_MS).toISOString();

  return {
    /** Newest first. Of a setting that is encrypted now, no version in plain text. */
    of: async (key: string) => (await visible.all(key, oldest())).map(toVersion),
    async findIn(trx: Knex.Transaction, key: string, version: number) {
      const found = await trx(TABLE)
        .where({ key, version })
        .where('replaced_at', '>=', oldest())
        .first<VersionRow | undefined>(trx.raw(columns));
      return found && toVersion(found);
    },
    /**
     * Keeps what the setting was, and removes what has to go: versions in plain text of a setting that is or was
     * encrypted, and those that are too many or too old. @returns the version kept, if one was
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
    /** @returns how many there were */
    forget: (trx: Knex.Transaction, key: string) => trx(TABLE).where({ key }).delete(),
  };
}

const toVersion = ({ encrypted, ...row }: VersionRow): SettingVersion => ({ ...row, encrypted: encrypted !== 0 });
