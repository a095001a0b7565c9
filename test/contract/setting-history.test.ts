import assert from 'node:assert/strict';
import { createCipher, keyIdOf } from '../../server/crypto/cipher.ts';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { rekeySettings } from '../../server/settings/rekey.ts';
import { settingsByKey } from '../../server/settings/store.ts';
import type { SettingsVault } from '../../server/settings/vault.ts';
import { SETTING_VERSIONS_MAX, type SettingVersion } from '../../shared/settings.ts';
import { ADA, auditRecords, BOB, ENCRYPTION_KEY, vaultOn, verifiedRecords } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';

/** The stored versions, including hidden ones. */
const rawVersions = (database: Database) => database.knex('setting_versions').orderBy(['key', 'version']);

const lastVersion = async ({ history }: SettingsVault, key: string): Promise<SettingVersion> =>
  (await history.versions(key))[0] ?? assert.fail(`no version of ${key}`);

const START = Date.parse('2026-03-01T09:00:00.000Z');
const DAY_MS = 86_400_000;
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();
const NEW_KEY = 'a-fresh-encryption-key-0123456789-abcdefghijkl';

const valuesOf = async ({ history }: SettingsVault, key: string): Promise<string[]> =>
  (await history.versions(key)).map(({ value }) => value);

describeOnDatabases('the history of a setting', (databases) => {
  async function start() {
    const { database } = await databases.createMigrated();
    const clock = { now: START };
    return { database, clock, ...vaultOn(database, { now: () => clock.now }) };
  }

  it('lists the values that writes and a deletion replaced, newest first, with actor, action and time', async () => {
    const { vault, clock } = await start();
    assert.equal((await vault.put({ key: 'mail.from', value: 'a', category: 'mail' }, ADA)).kept, undefined);
    clock.now += 1_000;
    assert.equal((await vault.put({ key: 'mail.from', value: 'b', category: null }, BOB)).kept, 2);
    clock.now += 1_000;
    assert.equal(await vault.remove('mail.from', ADA), 3);
    await vault.put({ key: 'mail.from.other', value: 'x' }, ADA);
    await vault.put({ key: 'MAIL.FROM', value: 'y' }, ADA);
    await vault.remove('MAIL.FROM', ADA);
    assert.deepEqual(await vault.history.versions('mail.from'), [
      { version: 3, value: 'b', encrypted: false, category: null, at: at(2), actor: ADA, action: 'setting_delete' },
      { version: 2, value: 'a', encrypted: false, category: 'mail', at: at(1), actor: BOB, action: 'setting_write' },
    ]);
    assert.deepEqual(await vault.history.versions('mail'), []);
  });

  it('restores a version of an existing and of a deleted setting, and lists the replaced value', async () => {
    const { vault, clock, changed, database } = await start();
    await vault.put({ key: 'limit', value: '10', category: 'old' }, ADA);
    const { kept } = await vault.put({ key: 'limit', value: '20', category: 'new' }, ADA);
    clock.now += 5_000;
    assert.deepEqual(await vault.history.restore({ key: 'limit', version: kept ?? 0 }, BOB), {
      setting: { key: 'limit', value: '10', encrypted: false, category: 'old', updated_at: at(5) },
      created: false,
      kept: 3,
    });
    const { value, actor, action } = await lastVersion(vault, 'limit');
    assert.deepEqual([value, actor, action], ['20', BOB, 'setting_restore']);
    const deleted = await vault.remove('limit', ADA);
    const back = await vault.history.restore({ key: 'limit', version: deleted ?? 0 }, BOB);
    assert.deepEqual([back?.created, back?.kept, (await vault.get('limit'))?.value], [true, undefined, '10']);
    assert.equal(changed.length, 5, 'each change invalidates caches');
    assert.deepEqual(
      (await auditRecords(database)).filter(({ action }) => action === 'setting_restore'),
      [2, 4].map((version) => ({
        action: 'setting_restore',
        actor: BOB,
        target: 'limit',
        details: { version },
        timestamp: at(5),
      })),
    );
  });

  it('restores no version of another key, no unknown version, and none after the history was cleared', async () => {
    const { vault, database, changed } = await start();
    for (const key of ['a', 'b']) for (const value of ['1', '2', '3']) await vault.put({ key, value }, ADA);
    for (const restoration of [
      { key: 'c', version: 2 },
      { key: 'A', version: 2 },
      { key: 'a', version: 1 },
    ])
      assert.equal(await vault.history.restore(restoration, ADA), undefined);
    await vault.history.forget('a', BOB);
    assert.equal(await vault.history.restore({ key: 'a', version: 2 }, ADA), undefined);
    assert.deepEqual([await valuesOf(vault, 'a'), await valuesOf(vault, 'b')], [[], ['2', '1']]);
    assert.deepEqual([(await vault.get('a'))?.value, changed.length], ['3', 6]);
    const { timestamp: _, ...record } = (await auditRecords(database)).at(-1) ?? {};
    assert.deepEqual(record, { action: 'setting_forget', actor: BOB, target: 'a', details: { versions: 2 } });
  });

  it('is unchanged, as is the setting, by an act whose precondition is not met', async () => {
    const { vault, database } = await start();
    await vault.put({ key: 'a', value: '1' }, ADA);
    const { kept = 0 } = await vault.put({ key: 'a', value: '2' }, ADA);
    for (const expected of ['create', () => false] as const) {
      const refused = { reason: expected === 'create' ? 'exists' : 'changed' };
      await assert.rejects(vault.history.restore({ key: 'a', version: kept }, ADA, expected), refused);
      await assert.rejects(vault.put({ key: 'a', value: '3' }, ADA, expected), refused);
      await assert.rejects(vault.remove('a', ADA, expected), refused);
    }
    await assert.rejects(
      vault.put({ key: 'new', value: '' }, ADA, () => true),
      { reason: 'changed' },
    );
    assert.deepEqual([(await vault.get('a'))?.value, (await auditRecords(database)).length], ['2', 2]);
  });

  it('contains the latest 50 versions, and none older than a year', async () => {
    const { vault, database, clock } = await start();
    await vault.put({ key: 'quiet', value: 'once' }, ADA);
    await vault.put({ key: 'quiet', value: 'twice' }, ADA);
    for (let index = 0; index <= SETTING_VERSIONS_MAX + 5; index += 1)
      await vault.put({ key: 'busy', value: String(index) }, ADA);
    const values = await valuesOf(vault, 'busy');
    assert.deepEqual([values.length, values[0], values.at(-1)], [SETTING_VERSIONS_MAX, '54', '5']);
    assert.equal((await rawVersions(database)).length, SETTING_VERSIONS_MAX + 1);

    clock.now += 365 * DAY_MS;
    assert.deepEqual(await valuesOf(vault, 'quiet'), ['once']);
    clock.now += 1;
    assert.deepEqual([await valuesOf(vault, 'quiet'), await valuesOf(vault, 'busy')], [[], []]);
    assert.equal(await vault.history.restore({ key: 'quiet', version: 2 }, ADA), undefined);
    await vault.put({ key: 'other', value: '' }, ADA);
    await vault.put({ key: 'other', value: '' }, ADA);
    const keys = (await rawVersions(database)).map(({ key }) => key);
    assert.deepEqual(keys, ['other']);
  });

  it('is unchanged, as is the setting, by an act whose record or version cannot be stored', async () => {
    const { vault, database } = await start();
    for (const value of ['1', '2']) await vault.put({ key: 'a', value }, ADA);
    const [version] = await rawVersions(database);
    const [record] = await database.knex('audit_log').where({ sequence: 2 });
    const acts = [
      () => vault.put({ key: 'a', value: '3' }, ADA),
      () => vault.remove('a', ADA),
      () => vault.history.restore({ key: 'a', version: 2 }, ADA),
      () => vault.history.forget('a', ADA),
    ];
    // The next sequence is taken, so that no record can be stored.
    await database.knex('audit_log').insert({ ...record, sequence: 3 });
    for (const act of acts) await assert.rejects(act, isUnavailable);
    await database.knex('audit_log').where({ sequence: 3 }).delete();
    assert.deepEqual([await rawVersions(database), (await vault.get('a'))?.value], [[version], '2']);

    // The number of the next version is taken, so that no version can be stored.
    await database.knex('setting_versions').insert({ ...version, version: 3 });
    for (const act of acts.slice(0, 3)) await assert.rejects(act);
    assert.deepEqual([(await vault.get('a'))?.value, (await auditRecords(database)).length], ['2', 2]);
  });

  /** Inserts a version in plain text, as earlier releases did, of a setting that may have been encrypted since. */
  const insertPlainVersion = (database: Database, key: string) =>
    database.knex('setting_versions').insert({
      key,
      version: 1,
      value: 'plain once',
      encrypted: 0,
      category: null,
      actor: ADA,
      action: 'setting_write',
      replaced_at: new Date(START).toISOString(),
    });

  it('contains secrets as ciphertext, decrypts them with a record, and restores them encrypted', async () => {
    const { vault, database } = await start();
    await vault.put({ key: 'mail.password', value: 'hush-1', encrypted: true }, ADA);
    await vault.put({ key: 'mail.password', value: 'hush-2' }, ADA);
    const { version, value, encrypted } = await lastVersion(vault, 'mail.password');
    assert.equal(encrypted, true);
    assert.match(value, /^v1\./);
    assert.equal((await vault.history.reveal({ key: 'mail.password', version }, BOB))?.value, 'hush-1');
    assert.equal(await vault.history.reveal({ key: 'mail.password', version: 999 }, BOB), undefined);
    const restored = await vault.history.restore({ key: 'mail.password', version }, BOB);
    assert.match(restored?.setting.value ?? '', /^v1\./);
    assert.equal((await vault.reveal('mail.password', ADA))?.value, 'hush-1');
    const stored = JSON.stringify([await auditRecords(database), await rawVersions(database)]);
    assert.equal(stored.includes('hush'), false);
    assert.deepEqual((await auditRecords(database))[2]?.['details'], { opened: true, version });
  });

  it('neither decrypts nor restores a ciphertext of another setting, and records the attempt', async () => {
    const { vault, database } = await start();
    for (const key of ['bank.key', 'mine'])
      for (const value of ['1', '2']) await vault.put({ key, value, encrypted: true }, ADA);
    const [stolen, { version }] = [await lastVersion(vault, 'bank.key'), await lastVersion(vault, 'mine')];
    await database.knex('setting_versions').where({ key: 'mine' }).update({ value: stolen.value });
    const before = await vault.get('mine');
    for (const act of [vault.history.reveal, vault.history.restore])
      await assert.rejects(async () => act({ key: 'mine', version }, ADA), { reason: 'undecryptable' });
    assert.deepEqual(await vault.get('mine'), before);
    assert.deepEqual((await auditRecords(database)).at(-1)?.['details'], { opened: false, version });
  });

  it('loses its versions in plain text when a write encrypts the setting', async () => {
    const { vault, database } = await start();
    await vault.put({ key: 'token', value: 'plain 1' }, ADA);
    await vault.put({ key: 'token', value: 'plain 2' }, ADA);
    const { kept } = await vault.put({ key: 'token', value: 'secret', encrypted: true }, ADA);
    assert.equal(kept, undefined);
    assert.deepEqual(await rawVersions(database), []);

    await vault.put({ key: 'other', value: 'plain 3' }, ADA);
    await vault.remove('other', ADA);
    await vault.put({ key: 'other', value: 'secret', encrypted: true }, ADA);
    assert.deepEqual(await rawVersions(database), [], 'also those of a setting that was deleted before');
  });

  it('hides versions in plain text of an encrypted setting, and encrypts such a version when it is restored', async () => {
    const { vault, database } = await start();
    await vault.put({ key: 'token', value: 'secret', encrypted: true }, ADA);
    await insertPlainVersion(database, 'token');
    assert.deepEqual(await vault.history.versions('token'), []);
    assert.equal(await vault.history.reveal({ key: 'token', version: 1 }, ADA), undefined);
    const restored = await vault.history.restore({ key: 'token', version: 1 }, ADA);
    assert.equal(restored?.setting.encrypted, true);
    assert.equal((await vault.reveal('token', ADA))?.value, 'plain once');
    const versions = await rawVersions(database);
    const encryptions = versions.map(({ encrypted }) => encrypted);
    assert.deepEqual(encryptions, [1]);
  });

  it('refuses to restore a version in plain text of a setting that must be encrypted', async () => {
    const { vault, database } = await start();
    const key = 'upstream.oauth-admin.api_key';
    await insertPlainVersion(database, key);
    await assert.rejects(vault.history.restore({ key, version: 1 }, ADA), { reason: 'plain_credential' });
    assert.equal(await vault.get(key), undefined);
    assert.deepEqual(await auditRecords(database), []);
  });

  it('is encrypted with the new key by settings:rekey, and its old key counts as in use until then', async () => {
    const { vault, database, audit } = await start();
    const old = createCipher({ current: ENCRYPTION_KEY });
    const both = createCipher({ current: NEW_KEY, previous: ENCRYPTION_KEY });
    for (let index = 0; index < 40; index += 1)
      await vault.put({ key: 'busy', value: `secret ${index}`, encrypted: true }, ADA);
    await vault.put({ key: 'gone', value: 'secret', encrypted: true }, ADA);
    await vault.remove('gone', ADA);
    await vault.put({ key: 'plain', value: old.encrypt('x', { setting: 'plain' }) }, ADA);
    await vault.put({ key: 'plain', value: '' }, ADA);
    const before = await rawVersions(database);
    const byKey = settingsByKey(database);
    assert.deepEqual(
      [...(await byKey())].map(([id, { settings }]) => [id, settings]),
      [[old.keyIds.current, 41]],
    );

    const report = await rekeySettings({ database, cipher: both, audit });
    assert.deepEqual(report, { rekeyed: 1, versions: 40, unopened: [], unsettled: 0 });
    assert.deepEqual([...(await byKey()).keys()], [both.keyIds.current]);
    const after = await rawVersions(database);
    const withoutValue = (rows: { value: string }[]) => rows.map(({ value: _, ...rest }) => rest);
    assert.deepEqual(withoutValue(after), withoutValue(before));
    for (const [index, { key, value, encrypted }] of after.entries())
      if (encrypted === 1) assert.equal(keyIdOf(value), both.keyIds.current, `${key} ${index}`);
      else assert.equal(value, before[index].value);
    const fresh = vaultOn(database, { cipher: createCipher({ current: NEW_KEY }) }).vault;
    const { version } = await lastVersion(fresh, 'gone');
    const back = await fresh.history.restore({ key: 'gone', version }, ADA);
    assert.equal(back?.setting.encrypted, true);
    assert.equal((await fresh.reveal('gone', ADA))?.value, 'secret');
    assert.equal(typeof (await verifiedRecords(audit)), 'number');
  });
});
