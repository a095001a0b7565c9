import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Setting, SettingPage } from '../../../shared/settings.ts';
import type { Database } from '../../db/database.ts';
import { isLastBatch, type SettingsStore } from './settings-store.ts';

export interface SettingPageQuery {
  /** The last key of the page before; the empty string for the first page. */
  after: string;
  size: number;
  category: string | undefined;
  /** Text within the key; case is ignored. */
  contains: string | undefined;
}

/** How many keys are searched per turn. */
const KEYS = 1_000;

/**
 * One page of the settings in byte order of their keys. What it costs grows with its size, not with their number, except
 * for a search: that reads keys until the page is full.
 */
export function settingPages(
  database: Database,
  store: SettingsStore,
): (query: SettingPageQuery) => Promise<SettingPage> {
  const every = database.statement<{ key: string }>(
    `select \`key\` from settings where \`key\` > ? order by \`key\` limit ${KEYS}`,
  );
  const ofCategory = database.statement<{ key: string }>(
    `select \`key\` from settings where category = ? and \`key\` > ? order by \`key\` limit ${KEYS}`,
  );
  // From each category to the next one in the index: MariaDB does so for `distinct` alone, SQLite for the recursion alone.
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

  /** Reads settings until there are `count` of them or no more. */
  async function listed({ after, category }: SettingPageQuery, count: number): Promise<Setting[]> {
    const found: Setting[] = [];
    for (;;) {
      const batch = await store.batch(found.at(-1)?.key ?? after, category);
      found.push(...batch);
      if (found.length >= count || isLastBatch(batch)) return found.slice(0, count);
    }
  }

  /** Searches keys alone, since values may be large: other requests run between two readings. */
  async function searched({ after, category, contains = '' }: SettingPageQuery, count: number): Promise<Setting[]> {
    const wanted = contains.toLowerCase();
    const found: string[] = [];
    for (let from = after; ; await nextTurn()) {
      const keys = await (category === undefined ? every.all(from) : ofCategory.all(category, from));
      found.push(...keys.map(({ key }) => key).filter((key) => key.toLowerCase().includes(wanted)));
      from = keys.at(-1)?.key ?? from;
      if (found.length >= count || keys.length < KEYS) return store.these(found.slice(0, count));
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

/** The key in a token of `next_page_token`; undefined if it is none. */
export function keyOfToken(token: string): string | undefined {
  const key = Buffer.from(token, 'base64url').toString();
  return key !== '' && pageToken(key) === token ? key : undefined;
}
