import type { Knex } from 'knex';
import type { Setting } from '../../../shared/settings.ts';
import type { Database } from '../../db/database.ts';
import { raiseSettingsVersion } from './settings-version.ts';

/** Small enough that reading a batch of 64 KiB values takes no noticeable time. */
const BATCH = 64;

interface SettingRow {
  key: string;
  value: string;
  encrypted: number;
  category: string | null;
  updated_at: string;
}

/** Settings as stored: the values of encrypted ones are ciphertext. */
export interface SettingsStore {
  find(key: string): Promise<Setting | undefined>;
  /** The same in the same turn; undefined if the database has to be waited for. */
  findAtHand(key: string): { setting: Setting | undefined } | undefined;
  /** Reads within a transaction, and so sees its own writes and what it has locked. */
  findIn(trx: Knex.Transaction, key: string): Promise<Setting | undefined>;
  /** In byte order of the keys, after `after`; an incomplete batch is the last one. */
  batch(after: string, category: string | undefined): Promise<Setting[]>;
  /** Those of these keys that exist, in byte order of the keys. */
  these(keys: readonly string[]): Promise<Setting[]>;
  /** Every key that begins with `prefix`, in byte order. */
  keysFrom(prefix: string): Promise<string[]>;
  /** Like `remove`, only in a transaction that holds the audit trail's lock. */
  save(trx: Knex.Transaction, setting: Setting, exists: boolean): Promise<void>;
  remove(trx: Knex.Transaction, key: string): Promise<void>;
}

const COLUMNS = '`key`, value, encrypted, category, updated_at';

export function settingsStore(database: Pick<Database, 'statement'>): SettingsStore {
  const one = database.statement<SettingRow>(`select ${COLUMNS} from settings where \`key\` = ?`);
  const every = database.statement<SettingRow>(
    `select ${COLUMNS} from settings where \`key\` > ? order by \`key\` limit ${BATCH}`,
  );
  const ofCategory = database.statement<SettingRow>(
    `select ${COLUMNS} from settings where category = ? and \`key\` > ? order by \`key\` limit ${BATCH}`,
  );
  const keys = database.statement<{ key: string }>(
    'select `key` from settings where `key` >= ? and `key` < ? order by `key`',
  );
  const settingOrNone = (row: SettingRow | undefined): Setting | undefined => row && toSetting(row);

  return {
    find: async (key) => settingOrNone(await one.get(key)),
    findAtHand(key) {
      const found = one.getAtHand(key);
      return found && { setting: settingOrNone(found.row) };
    },
    findIn: async (trx, key) => settingOrNone(await trx<SettingRow>('settings').where({ key }).first()),
    async batch(after, category) {
      const rows = await (category === undefined ? every.all(after) : ofCategory.all(category, after));
      return rows.map(toSetting);
    },
    async these(keys) {
      if (keys.length === 0) return [];
      const places = keys.map(() => '?').join();
      const some = database.statement<SettingRow>(
        `select ${COLUMNS} from settings where \`key\` in (${places}) order by \`key\``,
      );
      return (await some.all(...keys)).map(toSetting);
    },
    keysFrom: async (prefix) => (await keys.all(prefix, afterAll(prefix))).map(({ key }) => key),
    async save(trx, { key, ...setting }, exists) {
      const row = { ...setting, encrypted: Number(setting.encrypted) };
      if (exists) await trx<SettingRow>('settings').where({ key }).update(row);
      else await trx<SettingRow>('settings').insert({ key, ...row });
      await raiseSettingsVersion(trx);
    },
    async remove(trx, key) {
      await trx<SettingRow>('settings').where({ key }).delete();
      await raiseSettingsVersion(trx);
    },
  };
}

/** The first text that sorts after everything with this prefix, which ends in an ASCII character. */
const afterAll = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

const toSetting = (row: SettingRow): Setting => ({
  key: row.key,
  value: row.value,
  encrypted: row.encrypted !== 0,
  category: row.category,
  updated_at: row.updated_at,
});

export const isLastBatch = (batch: readonly Setting[]): boolean => batch.length < BATCH;
