import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { setFromCommandLine } from '../../server/features/settings.ts';
import { keyOfToken, type SettingPageQuery, settingPages, settingsStore } from '../../server/settings/store.ts';
import type { SettingsVault } from '../../server/settings/vault.ts';
import type { Setting, SettingPage } from '../../shared/settings.ts';
import { auditRecords, vaultOn } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { severable } from '../support/severable.ts';

const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';

async function listed(vault: SettingsVault, category?: string): Promise<Setting[]> {
  const all: Setting[] = [];
  for await (const batch of vault.list(category)) all.push(...batch);
  return all;
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describeOnDatabases('the settings vault', (databases) => {
  it('distinguishes keys by every byte', async () => {
    const { database } = await databases.createMigrated();
    const { vault } = vaultOn(database);
    const keys = [
      ...['key', 'KEY', 'ke\u0301y', 'k\u00e9y', 'key.', 'k%65y', 'ｋｅｙ', 'straße', 'strasse', 'ı', 'i'],
      ...['🔑', '🗝️', 'k\'e"y\\`;--'],
    ];
    for (const key of keys) assert.equal((await vault.put({ key, value: `value of ${key}` }, ADA)).created, true, key);
    for (const key of keys) assert.equal((await vault.get(key))?.value, `value of ${key}`);
    assert.deepEqual(
      (await listed(vault)).map(({ key }) => key),
      keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    for (const missing of ['kEY', 'key ', 'kéy\u0000', 'straSSe', ''])
      assert.equal(await vault.get(missing), undefined, JSON.stringify(missing));
  });

  it('stores keys of 255 characters and values of 64 KiB, in plain text and encrypted', async () => {
    const { database } = await databases.createMigrated();
    const { vault } = vaultOn(database);
    const key = '🔑'.repeat(255);
    const values = ['x'.repeat(65_536), '🔒'.repeat(16_384), 'a\u0000\n\r\t\\\'"%_\u2028\u007f\ufeff', ' blanks '];
    for (const value of values) {
      await vault.put({ key, value, encrypted: false }, ADA);
      assert.equal((await vault.get(key))?.value, value);
      await vault.put({ key, value, encrypted: true }, ADA);
      assert.equal((await vault.reveal(key, ADA))?.value, value);
      assert.notEqual((await vault.get(key))?.value, value);
    }
  });

  it('leaves encryption and category unchanged in an update that does not set them', async () => {
    const { database } = await databases.createMigrated();
    const { vault } = vaultOn(database);
    await vault.put({ key: 'secret', value: 'one', encrypted: true, category: 'a' }, ADA);
    const { setting } = await vault.put({ key: 'secret', value: 'two' }, ADA);
    assert.equal(setting.encrypted, true);
    assert.equal(setting.category, 'a');
    assert.match(setting.value, /^v1\./);
    assert.equal((await vault.put({ key: 'secret', value: 'two', category: null }, ADA)).setting.category, null);
    const plain = await vault.put({ key: 'secret', value: 'three', encrypted: false }, ADA);
    assert.equal(plain.setting.value, 'three');
  });

  it('records every act, without the value', async () => {
    const { database } = await databases.createMigrated();
    const { vault, changed } = vaultOn(database);
    const target = 'secret';
    await vault.put({ key: target, value: 'hush-1', encrypted: true, category: 'c' }, ADA);
    await vault.put({ key: target, value: 'hush-2' }, ADA);
    await vault.reveal(target, ADA);
    await vault.encryptValue({ key: target, value: 'hush-3' }, ADA);
    await vault.encryptValue({ value: 'hush-4' }, ADA);
    await vault.remove(target, ADA);
    await vault.remove(target, ADA);
    await vault.get(target);
    const records = await auditRecords(database);
    assert.deepEqual(
      records.map(({ timestamp, ...rest }) => rest),
      [
        { action: 'setting_write', actor: ADA, target, details: { created: true, encrypted: true, category: 'c' } },
        { action: 'setting_write', actor: ADA, target, details: { created: false, encrypted: true, category: 'c' } },
        { action: 'setting_decrypt', actor: ADA, target, details: { opened: true } },
        { action: 'value_encrypt', actor: ADA, target },
        { action: 'value_encrypt', actor: ADA, target: null },
        { action: 'setting_delete', actor: ADA, target },
      ],
    );
    assert.equal(JSON.stringify(records).includes('hush'), false);
    assert.deepEqual(changed, [target, target, target]);
  });

  it('encrypts a new setting from the command line, and leaves encryption and category of an existing one unchanged', async () => {
    const { database } = await databases.createMigrated();
    const { vault } = vaultOn(database);
    await vault.put({ key: 'plain', value: 'old', category: 'c' }, ADA);
    assert.equal((await setFromCommandLine(vault, 'plain', bytes('new\n'))).setting.value, 'new');
    assert.equal((await vault.get('plain'))?.category, 'c');
    await setFromCommandLine(vault, 'mail.signature', bytes('line one\nline two\r\n'));
    assert.equal((await vault.reveal('mail.signature', ADA))?.value, 'line one\nline two');
    assert.equal((await vault.get('mail.signature'))?.encrypted, true);
    await assert.rejects(() => setFromCommandLine(vault, ' blank', bytes('x')), { code: 'bad_request' });
    assert.equal((await auditRecords(database)).filter(({ actor }) => actor === 'command-line').length, 2);
  });
});

/** More keys than one query reads, of which only the last ones match the search. */
const MANY = 2_100;
const CATEGORIES = ['mail', 'Mail', 'é', '🔑'];

describeOnDatabases('a page of settings', (databases) => {
  let database: Database;
  let vault: SettingsVault;
  let keys: string[];

  beforeEach(async () => {
    ({ database } = await databases.createMigrated());
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

  /** Reads all pages, each with the token of the previous one. */
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
    it(`continues the previous page, so that all pages together list each setting once, in order (page size ${size})`, async () => {
      const pages = await allPages({ size });
      assert.deepEqual(keysOf(pages), keys);
      assert.ok(pages.slice(0, -1).every(({ settings }) => settings.length === size));
      assert.equal(pages.length, Math.ceil(MANY / size));
    });

  it('contains only settings with exactly the requested category', async () => {
    for (const [remainder, category] of CATEGORIES.entries()) {
      const pages = await allPages({ category, size: 100 });
      assert.equal(keysOf(pages).length, MANY / 5);
      for (const { settings } of pages)
        for (const { key } of settings) assert.equal(Number(/\d{4}/.exec(key)) % 5, remainder);
    }
    assert.deepEqual(keysOf(await allPages({ category: 'MAIL' })), []);
  });

  it('contains the settings whose key contains the searched text in any case, however many others precede them', async () => {
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

  it('is filled with later settings if some that match the search are deleted while it is read', async () => {
    const store = settingsStore(database);
    let left = 2;
    const these: typeof store.these = async (matches) => {
      const [key = ''] = matches;
      if (left-- > 0) await database.knex('settings').where({ key }).delete();
      return store.these(matches);
    };
    const page = settingPages(database, { ...store, these });
    const { settings, has_more } = await page({ after: '', size: 10, category: undefined, contains: 'needle' });
    const matching = keys.filter((key) => key.includes('Needle'));
    assert.deepEqual([settings.map(({ key }) => key), has_more], [matching.slice(2, 12), true]);
  });
});

describeOnDatabases(
  'the settings vault in an outage',
  (databases) => {
    it('neither writes, deletes nor decrypts a setting if the act cannot be recorded', async () => {
      const { database } = await databases.createMigrated();
      const { vault, changed } = vaultOn(database);
      await vault.put({ key: 'stored', value: 'before', encrypted: true }, ADA);
      await database.knex.schema.renameTable('audit_log', 'renamed');
      for (const act of [
        () => vault.put({ key: 'stored', value: 'after' }, ADA),
        () => vault.put({ key: 'new', value: 'x' }, ADA),
        () => vault.remove('stored', ADA),
        () => vault.reveal('stored', ADA),
        () => vault.encryptValue({ value: 'x' }, ADA),
      ])
        await assert.rejects(act, isUnavailable);
      await database.knex.schema.renameTable('renamed', 'audit_log');
      assert.equal((await vault.reveal('stored', ADA))?.value, 'before');
      assert.equal(await vault.get('new'), undefined);
      await database.knex('audit_head').delete();
      await assert.rejects(vault.put({ key: 'new', value: 'x' }, ADA), isUnavailable);
      assert.equal(await vault.get('new'), undefined);
      assert.deepEqual(changed, ['stored']);
    });

    if (databases.client === 'mysql')
      it('reports the database as unavailable if the connection breaks in a transaction, and stores no part of it', async () => {
        const { url, database: direct } = await databases.createMigrated();
        const connection = await severable(url);
        const database = databases.open(connection.url);
        let severed: Promise<void> | undefined;
        const { vault } = vaultOn(database, {
          // The clock is read between the start of the transaction and its first write.
          now: () => {
            severed ??= connection.sever();
            return Date.now();
          },
        });
        await assert.rejects(() => vault.put({ key: 'new', value: '1' }, ADA), isUnavailable);
        await severed;
        await assert.rejects(async () => vault.get('new'), isUnavailable);
        await assert.rejects(async () => vault.list()[Symbol.asyncIterator]().next(), isUnavailable);
        await assert.rejects(() => database.ping(), isUnavailable);
        assert.deepEqual(await auditRecords(direct), []);
        assert.equal(await vaultOn(direct).vault.get('new'), undefined);
        await connection.restore();
        await database.ping();
        assert.equal((await vault.put({ key: 'new', value: '1' }, ADA)).created, true);
        await connection.close();
      });
  },
  { server: true },
);
