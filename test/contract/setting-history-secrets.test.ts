import assert from 'node:assert/strict';
import { createCipher, keyIdOf } from '../../server/crypto/cipher.ts';
import type { Database } from '../../server/db/database.ts';
import { rekeySettings } from '../../server/settings/rekey.ts';
import { settingsByKey } from '../../server/settings/store.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { lastVersion, rawVersions } from '../support/setting-versions.ts';
import { ENCRYPTION_KEY, recordsOf, vaultOn, verifiedRecords } from '../support/vault.ts';

const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';
const BO = 'd1b2c3d4-0000-4000-8000-000000000002';
const FRESH_KEY = 'a-fresh-encryption-key-0123456789-abcdefghijkl';

describeOnDatabases('the history of secret settings', (databases) => {
  async function started() {
    const { database } = await databases.migrated();
    return { database, ...vaultOn(database) };
  }
  /** As an older release leaves it, which knows of no versions. */
  const keepPlain = (database: Database, key: string, version: number) =>
    database.knex('setting_versions').insert({
      ...{ key, version, value: 'plain once', encrypted: 0, category: null, actor: ADA, action: 'setting_write' },
      replaced_at: new Date().toISOString(),
    });

  it('keeps secrets as ciphertext, decrypts them with a record, and restores them as secrets', async () => {
    const { vault, database } = await started();
    await vault.put({ key: 'mail.password', value: 'hush-1', encrypted: true }, ADA);
    await vault.put({ key: 'mail.password', value: 'hush-2' }, ADA);
    const { version, value, encrypted } = await lastVersion(vault, 'mail.password');
    assert.equal(encrypted, true);
    assert.match(value, /^v1\./);
    assert.equal((await vault.history.reveal({ key: 'mail.password', version }, BO))?.value, 'hush-1');
    assert.equal(await vault.history.reveal({ key: 'mail.password', version: 999 }, BO), undefined);
    const restored = await vault.history.restore({ key: 'mail.password', version }, BO);
    assert.match(restored?.setting.value ?? '', /^v1\./);
    assert.equal((await vault.reveal('mail.password', ADA))?.value, 'hush-1');
    const stored = JSON.stringify([await recordsOf(database), await rawVersions(database)]);
    assert.equal(stored.includes('hush'), false);
    assert.deepEqual((await recordsOf(database))[2]?.['details'], { opened: true, version });
  });

  it('neither decrypts nor restores a ciphertext that belongs to another setting, with a record', async () => {
    const { vault, database } = await started();
    for (const key of ['bank.key', 'mine'])
      for (const value of ['1', '2']) await vault.put({ key, value, encrypted: true }, ADA);
    const [stolen, { version }] = [await lastVersion(vault, 'bank.key'), await lastVersion(vault, 'mine')];
    await database.knex('setting_versions').where({ key: 'mine' }).update({ value: stolen.value });
    const before = await vault.get('mine');
    for (const act of [vault.history.reveal, vault.history.restore])
      await assert.rejects(async () => act({ key: 'mine', version }, ADA), { code: 'decryption_failed' });
    assert.deepEqual(await vault.get('mine'), before);
    assert.deepEqual((await recordsOf(database)).at(-1)?.['details'], { opened: false, version });
  });

  it('removes plain versions with the write that encrypts, and keeps no plain text of it', async () => {
    const { vault, database } = await started();
    await vault.put({ key: 'token', value: 'plain 1' }, ADA);
    await vault.put({ key: 'token', value: 'plain 2' }, ADA);
    const { kept } = await vault.put({ key: 'token', value: 'secret', encrypted: true }, ADA);
    assert.equal(kept, undefined);
    assert.deepEqual(await rawVersions(database), []);

    await vault.put({ key: 'other', value: 'plain 3' }, ADA);
    await vault.remove('other', ADA);
    await vault.put({ key: 'other', value: 'secret', encrypted: true }, ADA);
    assert.deepEqual(await rawVersions(database), [], 'also of one that was deleted before');
  });

  it('encrypts a plain version that replaces an encrypted setting, and shows none of those until then', async () => {
    const { vault, database } = await started();
    await vault.put({ key: 'token', value: 'secret', encrypted: true }, ADA);
    await keepPlain(database, 'token', 1);
    assert.deepEqual(await vault.history.versions('token'), []);
    assert.equal(await vault.history.reveal({ key: 'token', version: 1 }, ADA), undefined);
    const restored = await vault.history.restore({ key: 'token', version: 1 }, ADA);
    assert.equal(restored?.setting.encrypted, true);
    assert.equal((await vault.reveal('token', ADA))?.value, 'plain once');
    const kept = await rawVersions(database);
    assert.deepEqual(
      kept.map(({ encrypted }) => encrypted),
      [1],
    );
  });

  it('refuses a plain version of a key that is always encrypted', async () => {
    const { vault, database } = await started();
    const key = 'upstream.oauth-admin.api_key';
    await keepPlain(database, key, 1);
    await assert.rejects(vault.history.restore({ key, version: 1 }, ADA), {
      code: 'bad_request',
      message: /^version was stored in plain text/,
    });
    assert.equal(await vault.get(key), undefined);
    assert.deepEqual(await recordsOf(database), []);
  });

  it('is encrypted again with the settings, and counts until it is', async () => {
    const { vault, database } = await started();
    const old = createCipher({ current: ENCRYPTION_KEY });
    const both = createCipher({ current: FRESH_KEY, previous: ENCRYPTION_KEY });
    for (let index = 0; index < 40; index += 1)
      await vault.put({ key: 'busy', value: `secret ${index}`, encrypted: true }, ADA);
    await vault.put({ key: 'gone', value: 'secret', encrypted: true }, ADA);
    await vault.remove('gone', ADA);
    await vault.put({ key: 'plain', value: old.encrypt('x', { setting: 'plain' }) }, ADA);
    await vault.put({ key: 'plain', value: '' }, ADA);
    const before = await rawVersions(database);
    const needs = settingsByKey(database);
    assert.deepEqual(
      [...(await needs())].map(([id, { settings }]) => [id, settings]),
      [[old.keyIds.current, 41]],
    );

    const { audit } = vaultOn(database);
    const report = await rekeySettings({ database, cipher: both, audit });
    assert.deepEqual(report, { rekeyed: 1, versions: 40, unopened: [], unsettled: 0 });
    assert.deepEqual([...(await needs()).keys()], [both.keyIds.current]);
    const after = await rawVersions(database);
    const withoutValue = (rows: { value: string }[]) => rows.map(({ value: _, ...rest }) => rest);
    assert.deepEqual(withoutValue(after), withoutValue(before));
    for (const [index, { key, value, encrypted }] of after.entries())
      if (encrypted === 1) assert.equal(keyIdOf(value), both.keyIds.current, `${key} ${index}`);
      else assert.equal(value, before[index].value);
    const fresh = vaultOn(database, { cipher: createCipher({ current: FRESH_KEY }) }).vault;
    const { version } = await lastVersion(fresh, 'gone');
    const back = await fresh.history.restore({ key: 'gone', version }, ADA);
    assert.equal(back?.setting.encrypted, true, 'also in the place of a deleted one');
    assert.equal((await fresh.reveal('gone', ADA))?.value, 'secret');
    assert.equal(typeof (await verifiedRecords(audit)), 'number');
  });
});
