import assert from 'node:assert/strict';
import { createCipher } from '../../server/crypto/cipher.ts';
import { changePoll } from '../../server/db/change-poll.ts';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { createLog } from '../../server/log.ts';
import { cachedSettings } from '../../server/settings/cache.ts';
import { rekeySettings } from '../../server/settings/rekey.ts';
import { createSettingsReader } from '../../server/settings-reader/settings-reader.ts';
import { ENCRYPTION_KEY, vaultOn } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually, until } from '../support/eventually.ts';
import { severable } from '../support/severable.ts';

const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';
const SECRET = 'upstream.oauth-admin.api_key';

describeOnDatabases('the settings reader', (databases) => {
  it('decrypts settings with any of its keys, and returns undefined for an absent or deleted setting', async () => {
    const { url, database } = await databases.createMigrated();
    const { vault } = vaultOn(database);
    await vault.put({ key: SECRET, value: 'token 🔑', encrypted: true }, ADA);
    await vault.put({ key: 'plain', value: 'v1.looks.like.cipher.text' }, ADA);
    await vault.put({ key: 'deleted', value: 'x' }, ADA);
    await vault.remove('deleted', ADA);
    const other = 'another-encryption-key-0123456789-abcdefghijk';
    const reader = createSettingsReader({ databaseUrl: url, encryptionKeys: [other, ENCRYPTION_KEY] });
    const withoutKey = createSettingsReader({ databaseUrl: url, encryptionKeys: [other] });
    try {
      const values = await Promise.all([SECRET, 'plain', 'PLAIN', 'deleted'].map((key) => reader.get(key)));
      assert.deepEqual(values, ['token 🔑', 'v1.looks.like.cipher.text', undefined, undefined]);
      await assert.rejects(withoutKey.get(SECRET), { name: 'CipherError', code: 'unknown_key' });
    } finally {
      await Promise.all([reader.close(), withoutKey.close()]);
    }
  });

  it('needs no columns but the key, the value and whether it is encrypted, since a reader may be newer than the database', async () => {
    const { url, database } = await databases.createMigrated();
    await vaultOn(database).vault.put({ key: 'plain', value: 'a' }, ADA);
    await database.knex.schema.table('settings', (table) => table.renameColumn('updated_at', 'not_yet_there'));
    const reader = createSettingsReader({ databaseUrl: url, encryptionKeys: [ENCRYPTION_KEY] });
    try {
      assert.equal(await reader.get('plain'), 'a');
    } finally {
      await reader.close();
    }
  });
});

describeOnDatabases('the settings cache', (databases) => {
  function cacheOn(database: Database, monotonic = () => 0) {
    const logged: string[] = [];
    const log = (message: string): void => void logged.push(message);
    const cipher = createCipher({ current: ENCRYPTION_KEY });
    const cache = cachedSettings({ database, cipher, ttlSeconds: 60, monotonic, log: { warn: log, info: log } });
    return { cache, logged };
  }

  it('serves present and absent settings from memory until they expire or are invalidated', async () => {
    const { database } = await databases.createMigrated();
    const { vault } = vaultOn(database);
    let now = 0;
    const { cache: settings } = cacheOn(database, () => now);
    const value = async (key: string) => (await settings.get(key))?.value;
    await vault.put({ key: 'a', value: '1' }, ADA);
    assert.deepEqual([await value('a'), await value('b')], ['1', undefined]);
    await vault.put({ key: 'a', value: '2' }, ADA);
    await vault.put({ key: 'b', value: '2' }, ADA);
    now = 59_999;
    assert.deepEqual([await value('a'), await value('b')], ['1', undefined]);
    now = 60_000;
    assert.deepEqual([await value('a'), await value('b')], ['2', '2']);
    await vault.put({ key: 'a', value: '3' }, ADA);
    await vault.put({ key: 'b', value: '3' }, ADA);
    settings.invalidate('a');
    assert.deepEqual([await value('a'), await value('b')], ['3', '2']);
    settings.invalidate();
    assert.deepEqual([await value('a'), await value('b')], ['3', '3']);
  });

  it('returns whether a setting is encrypted, and the keys that begin with a prefix', async () => {
    const { database } = await databases.createMigrated();
    const { cache: settings } = cacheOn(database);
    const { vault } = vaultOn(database);
    await vault.put({ key: SECRET, value: 'token' }, ADA);
    for (const key of ['social.b.client_id', 'social.a.client_id', 'socialite', 'Social.c'])
      await vault.put({ key, value: key }, ADA);
    assert.deepEqual(await settings.get(SECRET), { value: 'token', encrypted: true });
    assert.deepEqual(await settings.get('socialite'), { value: 'socialite', encrypted: false });
    assert.deepEqual(await settings.keys('social.'), ['social.a.client_id', 'social.b.client_id']);
    await vault.put({ key: 'social.🔑', value: '' }, ADA);
    settings.invalidate('socialite');
    assert.equal((await settings.keys('social.')).length, 2);
    settings.invalidate('social.🔑');
    assert.deepEqual(await settings.keys('social.'), ['social.a.client_id', 'social.b.client_id', 'social.🔑']);
  });

  it('serves the last values while the database is unavailable, and logs that once', async () => {
    const { url, database: direct } = await databases.createMigrated();
    await vaultOn(direct).vault.put({ key: SECRET, value: 'token' }, ADA);
    const outage = databases.client === 'mysql' ? await severable(url) : undefined;
    const database = databases.open(outage?.url ?? url);
    let now = 0;
    const { cache: settings, logged } = cacheOn(database, () => now);
    assert.equal((await settings.get(SECRET))?.value, 'token');
    assert.equal(await settings.get('absent'), undefined);
    await (outage === undefined ? database.close() : outage.sever());
    for (now = 60_000; now < 600_000; now += 10_000) {
      assert.equal((await settings.get(SECRET))?.value, 'token');
      assert.equal(await settings.get('absent'), undefined);
    }
    await assert.rejects(async () => settings.get('never read'), isUnavailable);
    assert.deepEqual(logged, ['settings cannot be read: the last known values stay in use']);
    await outage?.close();
  });

  it('is emptied when the version of the settings changes, whether it rises or falls', async () => {
    const { database } = await databases.createMigrated();
    const { vault } = vaultOn(database);
    const { cache: settings } = cacheOn(database);
    const used = async () => [(await settings.get(SECRET))?.value, await settings.keys('social.')];
    settings.follow(5);
    assert.deepEqual(await used(), [undefined, []]);
    await vault.put({ key: SECRET, value: 'first' }, ADA);
    await vault.put({ key: 'social.a.client_id', value: 'a' }, ADA);
    settings.follow(5);
    assert.deepEqual(await used(), [undefined, []]);
    settings.follow(6);
    assert.deepEqual(await used(), ['first', ['social.a.client_id']]);
    await vault.put({ key: SECRET, value: 'second' }, ADA);
    settings.follow(3);
    assert.deepEqual(await used(), ['second', ['social.a.client_id']]);
  });
});

describeOnDatabases('the version of the settings', (databases) => {
  const versionOf = async ({ knex }: Database): Promise<number> => (await knex('settings_version').first()).version;

  it('rises by one with each change and each batch of settings:rekey, and does not change otherwise', async () => {
    const { database } = await databases.createMigrated();
    const { vault, audit } = vaultOn(database);
    const versions = [await versionOf(database)];
    const changes = [
      () => vault.put({ key: 'k', value: '1' }, ADA),
      () => vault.put({ key: 'k', value: '2' }, ADA),
      () => vault.history.restore({ key: 'k', version: 2 }, ADA),
      () => vault.remove('k', ADA),
    ];
    for (const change of changes) {
      await change();
      versions.push(await versionOf(database));
    }
    assert.deepEqual(versions, [0, 1, 2, 3, 4]);
    await vault.remove('absent', ADA);
    await vault.history.restore({ key: 'k', version: 4_711 }, ADA);
    await vault.history.forget('k', ADA);
    assert.equal(await versionOf(database), 4);
    for (const key of ['a', 'b']) await vault.put({ key, value: 'secret', encrypted: true }, ADA);
    const keys = { current: 'a-fresh-encryption-key-0123456789-abcdefghijkl', previous: ENCRYPTION_KEY };
    await rekeySettings({ database, cipher: createCipher(keys), audit });
    assert.equal(await versionOf(database), 7);
  });
});

interface Versions {
  revocations: number;
  settings: number;
}

describeOnDatabases('the poll for changes by other processes', (databases) => {
  let poll: ReturnType<typeof changePoll> | undefined;
  afterEach(() => poll?.close());

  function pollOn(database: Database, follow: (versions: Versions) => Promise<void>) {
    const lines: string[] = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    let settings = 0;
    const own = changePoll({
      database,
      log,
      pollMs: 10,
      settings(version) {
        settings = version;
      },
      revocations: (revocations) => follow({ revocations, settings }),
    });
    poll = own;
    return { poll: own, lines };
  }

  it('reports the versions of settings and revocations, whether they rise or fall', async () => {
    const { database } = await databases.createMigrated();
    let last: Versions | undefined;
    const { poll } = pollOn(database, async (versions) => {
      last = versions;
    });
    await poll.start();
    await database.knex('revocation_version').update({ version: 7 });
    await database.knex('settings_version').update({ version: 3 });
    await eventually(() => last, { revocations: 7, settings: 3 });
    await database.knex('settings_version').update({ version: 2 });
    await eventually(() => last, { revocations: 7, settings: 2 });
  });

  it('continues after a change could not be read, and logs the start and the end of such failures', async () => {
    const { database } = await databases.createMigrated();
    let failures = 0;
    let succeeded = 0;
    let fails = false;
    const { poll, lines } = pollOn(database, async () => {
      if (!fails) succeeded += 1;
      else {
        failures += 1;
        throw new Error('the rows cannot be read');
      }
    });
    await poll.start();
    fails = true;
    await until(() => failures > 3);
    fails = false;
    const before = succeeded;
    await until(() => succeeded > before + 3);
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', /changes by other processes cannot be read/);
    assert.match(lines[1] ?? '', /changes by other processes can be read again/);
  });
});
