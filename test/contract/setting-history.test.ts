import assert from 'node:assert/strict';
import { createCipher, keyIdOf } from '../../server/crypto/cipher.ts';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { rekeySettings } from '../../server/settings/rekey.ts';
import { settingsByKey } from '../../server/settings/store.ts';
import type { SettingsVault } from '../../server/settings/vault.ts';
import { SETTING_VERSIONS_MAX, type SettingVersion } from '../../shared/settings.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { ENCRYPTION_KEY, recordsOf, vaultOn, verifiedRecords } from '../support/vault.ts';

/** What the database holds of earlier versions, readers aside. */
const rawVersions = (database: Database) => database.knex('setting_versions').orderBy(['key', 'version']);

/** The latest of a setting. */
const lastVersion = async ({ history }: SettingsVault, key: string): Promise<SettingVersion> =>
  (await history.versions(key))[0] ?? assert.fail(`no version of ${key}`);

const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';
const BO = 'd1b2c3d4-0000-4000-8000-000000000002';
const START = Date.parse('2026-03-01T09:00:00.000Z');
const DAY_MS = 86_400_000;

const valuesOf = async ({ history }: SettingsVault, key: string): Promise<string[]> =>
  (await history.versions(key)).map(({ value }) => value);

describeOnDatabases('the history of settings', (databases) => {
  async function started() {
    const { url, database } = await databases.migrated();
    const clock = { now: START };
    return { url, database, clock, ...vaultOn(database, { now: () => clock.now }) };
  }

  it('keeps what a write and a deletion replaced, with who did what and when, newest first', async () => {
    const { vault, clock } = await started();
    assert.equal((await vault.put({ key: 'mail.from', value: 'a', category: 'mail' }, ADA)).kept, undefined);
    clock.now += 1_000;
    assert.equal((await vault.put({ key: 'mail.from', value: 'b', category: null }, BO)).kept, 2);
    clock.now += 1_000;
    assert.equal(await vault.remove('mail.from', ADA), 3);
    await vault.put({ key: 'mail.from.other', value: 'x' }, ADA);
    await vault.put({ key: 'MAIL.FROM', value: 'y' }, ADA);
    await vault.remove('MAIL.FROM', ADA);
    assert.deepEqual(await vault.history.versions('mail.from'), [
      {
        ...{ version: 3, value: 'b', encrypted: false, category: null },
        ...{ at: '2026-03-01T09:00:02.000Z', actor: ADA, action: 'setting_delete' },
      },
      {
        ...{ version: 2, value: 'a', encrypted: false, category: 'mail' },
        ...{ at: '2026-03-01T09:00:01.000Z', actor: BO, action: 'setting_write' },
      },
    ]);
    assert.deepEqual(await vault.history.versions('mail'), []);
  });

  it('restores a version in the place of a setting or of a deleted one, and the one before can be restored too', async () => {
    const { vault, clock, changed, database } = await started();
    await vault.put({ key: 'limit', value: '10', category: 'old' }, ADA);
    const { kept } = await vault.put({ key: 'limit', value: '20', category: 'new' }, ADA);
    clock.now += 5_000;
    assert.deepEqual(await vault.history.restore({ key: 'limit', version: kept ?? 0 }, BO), {
      setting: {
        ...{ key: 'limit', value: '10', encrypted: false, category: 'old' },
        updated_at: '2026-03-01T09:00:05.000Z',
      },
      created: false,
      kept: 3,
    });
    const { value, actor, action } = await lastVersion(vault, 'limit');
    assert.deepEqual([value, actor, action], ['20', BO, 'setting_restore']);
    const deleted = await vault.remove('limit', ADA);
    const back = await vault.history.restore({ key: 'limit', version: deleted ?? 0 }, BO);
    assert.deepEqual([back?.created, back?.kept, (await vault.get('limit'))?.value], [true, undefined, '10']);
    assert.equal(changed.length, 5, 'caches are told of each');
    assert.deepEqual(
      (await recordsOf(database)).filter(({ action }) => action === 'setting_restore'),
      [2, 4].map((version) => ({
        ...{ action: 'setting_restore', actor: BO, target: 'limit', details: { version } },
        timestamp: '2026-03-01T09:00:05.000Z',
      })),
    );
  });

  it('knows no version of another setting, of no setting, and none that was removed on request, with a record', async () => {
    const { vault, database, changed } = await started();
    for (const key of ['a', 'b']) for (const value of ['1', '2', '3']) await vault.put({ key, value }, ADA);
    for (const restoration of [
      { key: 'c', version: 2 },
      { key: 'A', version: 2 },
      { key: 'a', version: 1 },
    ])
      assert.equal(await vault.history.restore(restoration, ADA), undefined);
    await vault.history.forget('a', BO);
    assert.equal(await vault.history.restore({ key: 'a', version: 2 }, ADA), undefined);
    assert.deepEqual([await valuesOf(vault, 'a'), await valuesOf(vault, 'b')], [[], ['2', '1']]);
    assert.deepEqual([(await vault.get('a'))?.value, changed.length], ['3', 6]);
    const { timestamp: _, ...record } = (await recordsOf(database)).at(-1) ?? {};
    assert.deepEqual(record, { action: 'setting_forget', actor: BO, target: 'a', details: { versions: 2 } });
  });

  it('changes nothing where something else is stored than was expected', async () => {
    const { vault, database } = await started();
    await vault.put({ key: 'a', value: '1' }, ADA);
    const { kept = 0 } = await vault.put({ key: 'a', value: '2' }, ADA);
    const refused = { code: 'precondition_failed' };
    for (const expected of ['create', () => false] as const) {
      await assert.rejects(vault.history.restore({ key: 'a', version: kept }, ADA, expected), refused);
      await assert.rejects(vault.put({ key: 'a', value: '3' }, ADA, expected), refused);
      await assert.rejects(vault.remove('a', ADA, expected), refused);
    }
    await assert.rejects(
      vault.put({ key: 'new', value: '' }, ADA, () => true),
      refused,
    );
    assert.deepEqual([(await vault.get('a'))?.value, (await recordsOf(database)).length], ['2', 2]);
  });

  it('keeps the latest 50 of each setting, and none for longer than a year', async () => {
    const { vault, database, clock } = await started();
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
    assert.deepEqual(
      (await rawVersions(database)).map(({ key }) => key),
      ['other'],
    );
  });

  it('neither changes nor is changed when an act cannot be recorded, or its version not be stored', async () => {
    const { vault, database } = await started();
    for (const value of ['1', '2']) await vault.put({ key: 'a', value }, ADA);
    const [version] = await rawVersions(database);
    const [record] = await database.knex('audit_log').where({ sequence: 2 });
    const acts = [
      () => vault.put({ key: 'a', value: '3' }, ADA),
      () => vault.remove('a', ADA),
      () => vault.history.restore({ key: 'a', version: 2 }, ADA),
      () => vault.history.forget('a', ADA),
    ];
    // The next record is there already, so that it cannot be written.
    await database.knex('audit_log').insert({ ...record, sequence: 3 });
    for (const act of acts) await assert.rejects(act, isUnavailable);
    await database.knex('audit_log').where({ sequence: 3 }).delete();
    assert.deepEqual([await rawVersions(database), (await vault.get('a'))?.value], [[version], '2']);

    // The same of the next version.
    await database.knex('setting_versions').insert({ ...version, version: 3 });
    for (const act of acts.slice(0, 3)) await assert.rejects(act);
    assert.deepEqual([(await vault.get('a'))?.value, (await recordsOf(database)).length], ['2', 2]);
  });
});

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
