import assert from 'node:assert/strict';
import { isUnavailable } from '../../server/db/errors.ts';
import type { SettingsVault } from '../../server/settings/vault.ts';
import { setFromCommandLine } from '../../server/settings/vault.ts';
import type { Setting } from '../../shared/settings.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { recordsOf, vaultOn } from '../support/vault.ts';

const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';

async function listed(vault: SettingsVault, category?: string): Promise<Setting[]> {
  const all: Setting[] = [];
  for await (const batch of vault.list(category)) all.push(...batch);
  return all;
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describeOnDatabases('settings', (databases) => {
  it('are distinguished by every byte of their keys', async () => {
    const { database } = await databases.migrated();
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

  it('hold keys of 255 characters and values of 64 KiB, in plain text and encrypted', async () => {
    const { database } = await databases.migrated();
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

  it('keep what an update does not name, so that a new secret stays one', async () => {
    const { database } = await databases.migrated();
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

  it('leave a record of every act, without the value', async () => {
    const { database } = await databases.migrated();
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
    const records = await recordsOf(database);
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

  it('are not written when the act cannot be recorded', async () => {
    const { database } = await databases.migrated();
    const { vault, changed } = vaultOn(database);
    await vault.put({ key: 'kept', value: '1', encrypted: true }, ADA);
    await database.knex('audit_head').delete();
    for (const act of [
      () => vault.put({ key: 'kept', value: '2' }, ADA),
      () => vault.put({ key: 'new', value: '2' }, ADA),
      () => vault.remove('kept', ADA),
      () => vault.reveal('kept', ADA),
      () => vault.encryptValue({ value: 'x' }, ADA),
    ])
      await assert.rejects(act, isUnavailable);
    assert.deepEqual(
      (await listed(vault)).map(({ key }) => key),
      ['kept'],
    );
    assert.deepEqual(changed, ['kept']);
  });

  it('are set from the command line: new ones encrypted, others as they were', async () => {
    const { database } = await databases.migrated();
    const { vault } = vaultOn(database);
    await vault.put({ key: 'plain', value: 'old', category: 'c' }, ADA);
    assert.equal((await setFromCommandLine(vault, 'plain', bytes('new\n'))).setting.value, 'new');
    assert.equal((await vault.get('plain'))?.category, 'c');
    await setFromCommandLine(vault, 'mail.signature', bytes('line one\nline two\r\n'));
    assert.equal((await vault.reveal('mail.signature', ADA))?.value, 'line one\nline two');
    assert.equal((await vault.get('mail.signature'))?.encrypted, true);
    await assert.rejects(() => setFromCommandLine(vault, ' blank', bytes('x')), { code: 'bad_request' });
    assert.equal((await recordsOf(database)).filter(({ actor }) => actor === 'command-line').length, 2);
  });
});
