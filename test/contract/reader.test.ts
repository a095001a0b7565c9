import assert from 'node:assert/strict';
import { createCipher } from '../../server/crypto/cipher.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { cachedSettings } from '../../server/settings/cache.ts';
import { createSettingsReader } from '../../server/settings-reader/settings-reader.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { severable } from '../support/severable.ts';
import { ENCRYPTION_KEY, vaultOn } from '../support/vault.ts';

const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';
const SECRET = 'upstream.oauth-admin.api_key';

describeOnDatabases('the settings reader', (databases) => {
  it('gives other services the plain text with any of its keys, and undefined for what is not there', async () => {
    const { url, database } = await databases.migrated();
    const { vault } = vaultOn(database);
    await vault.put({ key: SECRET, value: 'token 🔑', encrypted: true }, ADA);
    await vault.put({ key: 'plain', value: 'v1.looks.like.cipher.text' }, ADA);
    await vault.put({ key: 'gone', value: 'deleted' }, ADA);
    await vault.remove('gone', ADA);
    const other = 'another-encryption-key-0123456789-abcdefghijk';
    const reader = createSettingsReader({ databaseUrl: url, encryptionKeys: [other, ENCRYPTION_KEY] });
    const lost = createSettingsReader({ databaseUrl: url, encryptionKeys: [other] });
    try {
      const values = await Promise.all([SECRET, 'plain', 'PLAIN', 'gone'].map((key) => reader.get(key)));
      assert.deepEqual(values, ['token 🔑', 'v1.looks.like.cipher.text', undefined, undefined]);
      await assert.rejects(lost.get(SECRET), { name: 'CipherError', code: 'unknown_key' });
    } finally {
      await Promise.all([reader.close(), lost.close()]);
    }
  });

  it('answers from memory for its time to live, absent settings too, until it is invalidated', async () => {
    const { database } = await databases.migrated();
    const { vault } = vaultOn(database);
    let now = 0;
    const cipher = createCipher({ current: ENCRYPTION_KEY });
    const settings = cachedSettings({ database, cipher, ttlSeconds: 60, monotonic: () => now });
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

  it('says whether a setting is stored encrypted, and which keys begin with a prefix', async () => {
    const { database } = await databases.migrated();
    const cipher = createCipher({ current: ENCRYPTION_KEY });
    const settings = cachedSettings({ database, cipher, ttlSeconds: 60, monotonic: () => 0 });
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

  it('keeps serving the last values while the database is away, which it logs once', async () => {
    const { url, database: direct } = await databases.migrated();
    await vaultOn(direct).vault.put({ key: SECRET, value: 'token' }, ADA);
    const outage = databases.client === 'mysql' ? await severable(url) : undefined;
    const database = databases.open(outage?.url ?? url);
    const said: string[] = [];
    let now = 0;
    const settings = cachedSettings({
      database,
      cipher: createCipher({ current: ENCRYPTION_KEY }),
      ttlSeconds: 60,
      monotonic: () => now,
      log: { warn: (message) => void said.push(message), info: (message) => void said.push(message) },
    });
    assert.equal((await settings.get(SECRET))?.value, 'token');
    assert.equal(await settings.get('absent'), undefined);
    await (outage === undefined ? database.close() : outage.sever());
    for (now = 60_000; now < 600_000; now += 10_000) {
      assert.equal((await settings.get(SECRET))?.value, 'token');
      assert.equal(await settings.get('absent'), undefined);
    }
    await assert.rejects(async () => settings.get('never read'), isUnavailable);
    assert.deepEqual(said, ['settings cannot be read: the last known values stay in use']);
    await outage?.close();
  });
});
