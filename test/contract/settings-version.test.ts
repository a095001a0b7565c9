import assert from 'node:assert/strict';
import { createCipher } from '../../server/crypto/cipher.ts';
import type { Database } from '../../server/db/database.ts';
import { cachedSettings } from '../../server/settings/cache.ts';
import { rekeySettings } from '../../server/settings/rekey.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { ENCRYPTION_KEY, vaultOn } from '../support/vault.ts';

const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';
const SECRET = 'upstream.oauth-admin.api_key';
const FRESH = createCipher({
  current: 'a-fresh-encryption-key-0123456789-abcdefghijkl',
  previous: ENCRYPTION_KEY,
});

const versionOf = async ({ knex }: Database): Promise<number> => (await knex('settings_version').first()).version;

describeOnDatabases('the version of the settings', (databases) => {
  it('rises once with every change, and with nothing else', async () => {
    const { database } = await databases.migrated();
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
    await rekeySettings({ database, cipher: FRESH, audit });
    assert.equal(await versionOf(database), 7, 'once with a batch of settings that are encrypted with another key');
  });

  it('has a process read its cached settings again if it is another one, larger or smaller', async () => {
    const { database } = await databases.migrated();
    const { vault } = vaultOn(database);
    const cipher = createCipher({ current: ENCRYPTION_KEY });
    const settings = cachedSettings({ database, cipher, ttlSeconds: 3_600, monotonic: () => 0 });
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
