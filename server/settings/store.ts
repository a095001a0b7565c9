import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Setting, SettingPage } from '../../shared/settings.ts';
import { type Cipher, CipherError, keyIdOf } from '../crypto/cipher.ts';
import type { Database } from '../db/database.ts';

/**
 * Makes every process read its settings again (`CachedSettings.follow`). It belongs in each transaction that changes
 * settings; those hold the lock of the audit trail, so they do not wait for one another here.
 */
export async function raiseSettingsVersion(trx: Knex.Transaction): Promise<void> {
  await trx('settings_version').where({ id: 1 }).increment('version');
}

/** Small enough that reading a batch of 64 KiB values takes no noticeable time. */
const BATCH = 64;

type SettingRow = Omit<Setting, 'encrypted'> & { encrypted: number };

const COLUMNS = '`key`, value, encrypted, category, updated_at';

/** Reads settings in byte order of their keys, after a given key: all settings, or those of a category. */
function settingsAfter<Row>(database: Pick<Database, 'statement'>, columns: string, most: number) {
  const rest = `\`key\` > ? order by \`key\` limit ${most}`;
  const every = database.statement<Row>(`select ${columns} from settings where ${rest}`);
  const ofCategory = database.statement<Row>(`select ${columns} from settings where category = ? and ${rest}`);
  return (after: string, category: string | undefined): Promise<Row[]> =>
    category === undefined ? every.all(after) : ofCategory.all(category, after);
}

/** Settings as stored: the values of encrypted ones are ciphertext. */
export function settingsStore(database: Pick<Database, 'statement'>) {
  const one = database.statement<SettingRow>(`select ${COLUMNS} from settings where \`key\` = ?`);
  const rowsAfter = settingsAfter<SettingRow>(database, COLUMNS, BATCH);
  const keys = database.statement<{ key: string }>(
    'select `key` from settings where `key` >= ? and `key` < ? order by `key`',
  );
  const settingOrNone = (row: SettingRow | undefined): Setting | undefined => row && toSetting(row);

  return {
    find: async (key: string) => settingOrNone(await one.get(key)),
    /** Reads within a transaction, and so sees the changes and the locked rows of that transaction. */
    findIn: async (trx: Knex.Transaction, key: string) =>
      settingOrNone(await trx('settings').where({ key }).first<SettingRow>(trx.raw(COLUMNS))),
    /** The settings after this key, in byte order of the keys. */
    async *batches(after: string, category: string | undefined): AsyncGenerator<Setting[], void> {
      for (let last: string | undefined = after; last !== undefined; ) {
        const rows: SettingRow[] = await rowsAfter(last, category);
        yield rows.map(toSetting);
        last = rows.length < BATCH ? undefined : rows.at(-1)?.key;
      }
    },
    /** The settings with these keys, as far as they exist, in byte order of the keys. */
    async these(keys: readonly string[]) {
      if (keys.length === 0) return [];
      const places = keys.map(() => '?').join();
      const some = database.statement<SettingRow>(
        `select ${COLUMNS} from settings where \`key\` in (${places}) order by \`key\``,
      );
      return (await some.all(...keys)).map(toSetting);
    },
    /** Every key that begins with `prefix`, in byte order. */
    keysFrom: async (prefix: string) => (await keys.all(prefix, afterAll(prefix))).map(({ key }) => key),
    /** Creates or updates a setting, in a transaction that holds the lock of the audit trail; so does `remove`. */
    async save(trx: Knex.Transaction, { key, ...setting }: Setting, exists: boolean) {
      const row = { ...setting, encrypted: Number(setting.encrypted) };
      if (exists) await trx<SettingRow>('settings').where({ key }).update(row);
      else await trx<SettingRow>('settings').insert({ key, ...row });
      await raiseSettingsVersion(trx);
    },
    async remove(trx: Knex.Transaction, key: string) {
      await trx<SettingRow>('settings').where({ key }).delete();
      await raiseSettingsVersion(trx);
    },
  };
}

export type SettingsStore = ReturnType<typeof settingsStore>;

/** The first text that sorts after everything with this prefix, which ends in an ASCII character. */
const afterAll = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

const toSetting = (row: SettingRow): Setting => ({ ...row, encrypted: row.encrypted !== 0 });

const KEY_BATCH = 500;
/** The start of a ciphertext, including the key id. */
const HEAD_CHARACTERS = 32;

interface Head {
  key: string;
  version: number;
  head: string;
  since: string;
}
const BEFORE_ALL: Head = { key: '', version: 0, head: '', since: '' };

/**
 * For each key id, how many settings and earlier versions are encrypted with the key, and when the oldest was stored or
 * replaced. Invalid ciphertexts are counted under the empty string. Nothing is decrypted.
 */
export function settingsByKey(database: Database): () => Promise<Map<string, { settings: number; oldest: string }>> {
  const columns = `\`key\`, substr(value, 1, ${HEAD_CHARACTERS}) as head`;
  const settings = database.statement<Head>(
    `select ${columns}, 0 as version, updated_at as since from settings
     where encrypted = 1 and \`key\` > ? order by \`key\` limit ${KEY_BATCH}`,
  );
  const versions = database.statement<Head>(
    `select ${columns}, version, replaced_at as since from setting_versions
     where encrypted = 1 and (\`key\` > ? or (\`key\` = ? and version > ?)) order by \`key\`, version limit ${KEY_BATCH}`,
  );
  const tables = [({ key }: Head) => settings.all(key), ({ key, version }: Head) => versions.all(key, key, version)];
  return async () => {
    const found = new Map<string, { settings: number; oldest: string }>();
    for (const batchAfter of tables)
      for (let last: Head | undefined = BEFORE_ALL; last !== undefined; await nextTurn()) {
        const batch: Head[] = await batchAfter(last);
        for (const { head, since } of batch) {
          const id = keyIdOf(head) ?? '';
          const { settings, oldest } = found.get(id) ?? { settings: 0, oldest: since };
          found.set(id, { settings: settings + 1, oldest: since < oldest ? since : oldest });
        }
        last = batch.length < KEY_BATCH ? undefined : batch.at(-1);
      }
    return found;
  };
}

/** The plain text of a setting's ciphertext; an error if no key decrypts it. */
export function openValue(cipher: Cipher, key: string, ciphertext: string): string | CipherError {
  try {
    return cipher.decrypt(ciphertext, { setting: key });
  } catch (error) {
    if (error instanceof CipherError) return error;
    throw error;
  }
}

export interface SettingPageQuery {
  /** The last key of the previous page; the empty string for the first page. */
  after: string;
  size: number;
  category: string | undefined;
  /** Text within the key; case is ignored. */
  contains: string | undefined;
}

/** How many keys are searched per turn. */
const KEYS = 1_000;

/**
 * One page of the settings, in byte order of their keys. Its cost grows with its size, not with the number of settings.
 * Only a search costs more: it reads keys until the page is full.
 */
export function settingPages(
  database: Database,
  store: SettingsStore,
): (query: SettingPageQuery) => Promise<SettingPage> {
  const keysAfter = settingsAfter<{ key: string }>(database, '`key`', KEYS);
  // Jumps from each category to the next one in the index: MariaDB does so only for `distinct`, SQLite only for the
  // recursion.
  const allCategories = database.statement<{ category: string }>(
    database.client === 'mysql'
      ? 'select distinct category from settings where category is not null order by category'
      : `with recursive known(category) as (
           select min(category) from settings
           union all
           select (select min(category) from settings where category > known.category) from known
           where known.category is not null
         ) select category from known where category is not null`,
  );

  /** Reads settings until there are `count` of them, or no more to read. */
  async function listed({ after, category }: SettingPageQuery, count: number): Promise<Setting[]> {
    const found: Setting[] = [];
    for await (const batch of store.batches(after, category)) {
      found.push(...batch);
      if (found.length >= count) break;
    }
    return found.slice(0, count);
  }

  /** Searches keys alone, since values may be large; other requests run between two reads. */
  async function searched(query: SettingPageQuery, count: number): Promise<Setting[]> {
    const { after, category, contains = '' } = query;
    const text = contains.toLowerCase();
    const found: string[] = [];
    for (let from = after; ; await nextTurn()) {
      const keys = await keysAfter(from, category);
      found.push(...keys.map(({ key }) => key).filter((key) => key.toLowerCase().includes(text)));
      from = keys.at(-1)?.key ?? from;
      if (found.length < count && keys.length === KEYS) continue;
      const page = found.slice(0, count);
      const settings = await store.these(page);
      // One was deleted since its key was read: without it, this would look like the last page.
      return settings.length < page.length ? searched(query, count) : settings;
    }
  }

  return async (query) => {
    const some = await (query.contains === undefined ? listed : searched)(query, query.size + 1);
    const settings = some.slice(0, query.size);
    const more = some.length > query.size;
    return {
      settings,
      next_page_token: more ? pageToken(settings.at(-1)?.key ?? '') : null,
      has_more: more,
      ...(query.after === '' && { categories: (await allCategories.all()).map(({ category }) => category) }),
    };
  };
}

const pageToken = (key: string): string => Buffer.from(key).toString('base64url');

/** The key in a token of `next_page_token`; undefined if the token is not valid. */
export function keyOfToken(token: string): string | undefined {
  const key = Buffer.from(token, 'base64url').toString();
  return key !== '' && pageToken(key) === token ? key : undefined;
}
