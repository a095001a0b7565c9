import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { keyOfToken, type SettingPageQuery, settingPages, settingsStore } from '../../server/settings/store.ts';
import type { SettingsVault } from '../../server/settings/vault.ts';
import type { SettingPage } from '../../shared/settings.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { vaultOn } from '../support/vault.ts';

/** More than one query of keys reads, and the last ones match what is searched. */
const MANY = 2_100;
const CATEGORIES = ['mail', 'Mail', 'é', '🔑'];

describeOnDatabases('pages of settings', (databases) => {
  let database: Database;
  let vault: SettingsVault;
  let keys: string[];

  beforeEach(async () => {
    ({ database } = await databases.migrated());
    ({ vault } = vaultOn(database));
    const rows = Array.from({ length: MANY }, (_, index) => ({
      key: `${'aBé🔑'.at(index % 4)}.${String(index).padStart(4, '0')}${index > 2_000 ? '.Needle' : ''}`.toWellFormed(),
      value: `value ${index}`,
      encrypted: 0,
      category: index % 5 === 4 ? null : (CATEGORIES[index % 5] ?? null),
      updated_at: '2026-01-01T00:00:00.000Z',
    }));
    await database.knex.batchInsert('settings', rows, 300);
    keys = [];
    for await (const batch of vault.list()) keys.push(...batch.map(({ key }) => key));
    assert.equal(keys.length, MANY);
  });

  /** All pages, each by the token of the one before. */
  async function allPages(query: Partial<SettingPageQuery>): Promise<SettingPage[]> {
    const pages: SettingPage[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await vault.page({ after, size: 25, category: undefined, contains: undefined, ...query });
      pages.push(page);
      assert.equal(page.has_more, page.next_page_token !== null);
      after = page.next_page_token === null ? undefined : keyOfToken(page.next_page_token);
    }
    return pages;
  }
  const keysOf = (pages: SettingPage[]): string[] => pages.flatMap(({ settings }) => settings.map(({ key }) => key));

  for (const size of [250, 64])
    it(`of ${size} give each setting once, in order`, async () => {
      const pages = await allPages({ size });
      assert.deepEqual(keysOf(pages), keys);
      assert.ok(pages.slice(0, -1).every(({ settings }) => settings.length === size));
      assert.equal(pages.length, Math.ceil(MANY / size));
    });

  it('of a category give those of exactly that one', async () => {
    for (const [place, category] of CATEGORIES.entries()) {
      const pages = await allPages({ category, size: 100 });
      assert.equal(keysOf(pages).length, MANY / 5);
      for (const { settings } of pages)
        for (const { key } of settings) assert.equal(Number(/\d{4}/.exec(key)) % 5, place);
    }
    assert.deepEqual(keysOf(await allPages({ category: 'MAIL' })), []);
  });

  it('of a search give those whose key contains the text, in any case, however far behind they are', async () => {
    const matching = keys.filter((key) => key.includes('Needle'));
    assert.equal(matching.length, 99);
    assert.deepEqual(keysOf(await allPages({ contains: 'nEEDLE', size: 10 })), matching);
    assert.deepEqual(
      keysOf(await allPages({ contains: 'É', size: 250 })),
      keys.filter((key) => key.startsWith('é')),
    );
    assert.deepEqual(keysOf(await allPages({ contains: '%' })), []);
    const both = keysOf(await allPages({ contains: 'needle', category: 'mail', size: 3 }));
    assert.deepEqual(
      both,
      matching.filter((key) => Number(/\d{4}/.exec(key)) % 5 === 0),
    );
  });

  it('of a search go on if a setting is deleted while they are read', async () => {
    const store = settingsStore(database);
    let left = 2;
    const these: typeof store.these = async (found) => {
      if (left-- > 0)
        await database
          .knex('settings')
          .where({ key: found[0] ?? '' })
          .delete();
      return store.these(found);
    };
    const page = settingPages(database, { ...store, these });
    const { settings, has_more } = await page({ after: '', size: 10, category: undefined, contains: 'needle' });
    const matching = keys.filter((key) => key.includes('Needle'));
    assert.deepEqual([settings.map(({ key }) => key), has_more], [matching.slice(2, 12), true]);
  });
});
