import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createAuditTrail } from '../../server/audit/trail.ts';
import { keySighting } from '../../server/checks/keys.ts';
import { createCipher } from '../../server/crypto/cipher.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { MIGRATION_NAMES } from '../../server/db/migrations.ts';
import { migrate } from '../../server/db/open-database.ts';
import { layoutStore } from '../../server/features/own-documents.ts';
import { lockedAccounts } from '../../server/features/security/locked-accounts.ts';
import { createLog } from '../../server/log.ts';
import { createRevocations } from '../../server/session/revocations.ts';
import { createSettingsVault } from '../../server/settings/vault.ts';
import { vaultOn } from '../support/audit-trail.ts';
import { silentLog, TEST_KEYS } from '../support/context.ts';
import { describeOnDatabases } from '../support/databases.ts';

/** Earlier releases with a dump of their databases in the fixtures. */
const RELEASES = ['0.1.0', '0.2.0'] as const;

/** The SQL that defines each table and index, without those of knex. */
async function schemaOf({ client, knex }: Database): Promise<Record<string, string>> {
  if (client === 'sqlite') {
    const rows = await knex('sqlite_master').whereNotNull('sql').select<{ name: string; sql: string }[]>('name', 'sql');
    return Object.fromEntries(rows.filter(({ name }) => isOurs(name)).map(({ name, sql }) => [name, sql]));
  }
  const schema: Record<string, string> = {};
  for (const table of await tablesOf({ client, knex })) {
    const [[row]] = await knex.raw('show create table ??', [table]);
    // MariaDB lists indexes in the order of their creation. Earlier releases left the row format to the server.
    const created: string = row['Create Table'].replace(' ROW_FORMAT=DYNAMIC', '');
    schema[table] = created.replaceAll(',\n', '\n').split('\n').sort().join('\n');
  }
  return schema;
}

/** All rows of all tables, and the migrations that ran. */
async function rowsOf(database: Pick<Database, 'client' | 'knex'>): Promise<Record<string, object[]>> {
  const tables = [...(await tablesOf(database)), 'knex_migrations'];
  return Object.fromEntries(
    await Promise.all(tables.map(async (table) => [table, await database.knex(table).orderBy(1)])),
  );
}

async function tablesOf({ client, knex }: Pick<Database, 'client' | 'knex'>): Promise<string[]> {
  const names: string[] =
    client === 'sqlite'
      ? await knex('sqlite_master').where({ type: 'table' }).pluck('name')
      : (await knex.raw('show tables'))[0].flatMap(Object.values);
  return names.filter(isOurs);
}

const isOurs = (name: string): boolean => !/^(?:knex|sqlite)_/.test(name);

/** A time soon after the databases were filled. */
const NOW = Date.UTC(2026, 10, 22, 12, 1);

/** Tables that have rows only while processes run, or after a service has been down. */
const MAY_BE_EMPTY = ['migration_lock', 'leases', 'index_files', 'service_changes'];

describeOnDatabases('a database of an earlier release', (databases) => {
  async function restored(release: (typeof RELEASES)[number]): Promise<Database> {
    const database = databases.open(await databases.create());
    const file = new URL(`../fixtures/databases/${release}.${databases.client}.sql`, import.meta.url);
    for (const statement of readFileSync(file, 'utf8').split(/;\n/).filter(Boolean)) await database.knex.raw(statement);
    return database;
  }
  const namesIn = (database: Database): Promise<string[]> => database.knex('knex_migrations').pluck('name');

  for (const release of RELEASES) {
    it(`has the current schema and all its rows after the migrations (release ${release})`, async () => {
      const database = await restored(release);
      const { knex_migrations: _, ...before } = await rowsOf(database);
      for (const [table, rows] of Object.entries(before))
        if (!MAY_BE_EMPTY.includes(table)) assert.notEqual(rows.length, 0, table);
      await migrate(database, silentLog);
      const { knex_migrations: __, ...after } = await rowsOf(database);
      const empty = Object.fromEntries(Object.keys(after).map((table) => [table, []]));
      // Columns that are newer than the release are null.
      const nullsIn = (row = {}) => Object.fromEntries(Object.entries(row).filter(([, value]) => value === null));
      const expected = Object.fromEntries(
        Object.entries(before).map(([table, rows]) => [
          table,
          rows.map((row, at) => ({ ...nullsIn(after[table]?.[at]), ...row })),
        ]),
      );
      const firstRows = {
        settings_version: [{ id: 1, version: 0 }],
        event_state: [{ id: 1, version: 0, listened_at: '' }],
      };
      assert.deepEqual(after, { ...empty, ...firstRows, ...expected });
      const { database: fresh } = await databases.createMigrated();
      assert.deepEqual(await schemaOf(database), await schemaOf(fresh));
      assert.deepEqual(await namesIn(database), await namesIn(fresh));
    });

    it(`has readable settings, audit records, layouts, locked accounts and revocations after the migrations (release ${release})`, async () => {
      const database = await restored(release);
      await migrate(database, silentLog);
      const now = (): number => NOW;
      const cipher = createCipher({ current: TEST_KEYS.ENCRYPTION_KEY });
      const keys = derivedKeys({ current: TEST_KEYS.SESSION_SIGNING_KEY }, 'audit-trail');
      const log = createLog({ level: 'info', production: false }, { write: () => {} });
      const audit = createAuditTrail({ database, keys, log, now });
      const { identity_id: admin } = await database.knex('dashboard_layouts').first('identity_id');
      const { identity_id: viewer } = await database.knex('identity_epochs').first('identity_id');
      const { session_id: ended } = await database.knex('revoked_sessions').first('session_id');
      const verdict = await audit.verify();
      assert.deepEqual(verdict.ok && [verdict.records, verdict.byDigest], [release === '0.2.0' ? 10 : 9, []]);

      const vault = createSettingsVault({ database, cipher, audit, onChange: () => {}, now });
      assert.equal((await vault.get('mail.sender'))?.value, 'Ada’s "mail" \\ ä');
      assert.equal((await vault.reveal('mail.password', admin))?.value, 'pässword');
      const { layout } = (await layoutStore(database, now).find(admin)).document;
      assert.deepEqual(layout, { widgets: [{ id: 'services', x: 0, y: 0, w: 12, h: 4 }], hidden: [] });
      const { data } = await lockedAccounts({ database, audit, now }).list();
      assert.deepEqual([data[0]?.identifier, data[0]?.attempts], ['viewer@example.com', 5]);
      assert.equal((await keySighting(database, cipher.keyIds.current))?.fromStart, true);

      const revocations = createRevocations({ database, log, now, monotonic: () => 0 });
      const { version } = await database.knex('revocation_version').first('version');
      await revocations.follow(version);
      assert.equal(revocations.isRevoked({ sessionId: ended, identityId: admin, epoch: 0 }), true);
      assert.equal(revocations.isRevoked({ sessionId: 'other', identityId: admin, epoch: 0 }), false);
      assert.equal(revocations.isRevoked({ sessionId: 'other', identityId: viewer, epoch: 0 }), true);
    });
  }

  it('is refused and left unchanged if a build before 0.1.0 created it', async () => {
    const database = await restored('0.1.0');
    await database.knex('knex_migrations').where({ name: '001-create-settings' }).update({ name: '001-settings' });
    const before = [await rowsOf(database), await schemaOf(database)];
    await assert.rejects(migrate(database, silentLog), /before 0\.1\.0\. Start release 0\.1\.0 on it first/);
    assert.deepEqual([await rowsOf(database), await schemaOf(database)], before);
  });

  for (const name of ['021-breaks-settings-key', '021-a-change-that-breaks'])
    it(`is refused and left unchanged after a later migration whose name declares a breaking change (${name})`, async () => {
      const database = await restored('0.1.0');
      await insertMigration(database, name);
      const before = [await rowsOf(database), await schemaOf(database)];
      await assert.rejects(migrate(database, silentLog), {
        name: 'DatabaseNotReady',
        message: new RegExp(`cannot work with it: ${name}\\. Start that release, or a later one`),
      });
      assert.deepEqual([await rowsOf(database), await schemaOf(database)], before);
    });

  it('is used with a warning after later migrations that only added to it', async () => {
    const database = await restored('0.1.0');
    const added = ['021-add-a-column', '022-outbreaks', '023-breaksand-more'];
    for (const name of added) await insertMigration(database, name);
    await database.knex.schema.alterTable('settings', (table) => table.text('of_a_later_release'));
    await database.knex.schema.createTable('of_a_later_release', (table) => table.increments());
    const warnings: unknown[] = [];
    const log = { info: () => {}, warn: (fields: object) => void warnings.push(fields) };
    assert.equal((await migrate(database, log)).length, MIGRATION_NAMES.length - 11);
    assert.deepEqual(warnings, [{ migrations: added }]);
    const { vault } = vaultOn(database);
    await vault.put({ key: 'mail.sender', value: 'Bob' }, 'ada');
    assert.equal((await vault.get('mail.sender'))?.value, 'Bob');
    assert.deepEqual(await migrate(database, log), []);
    assert.equal(warnings.length, 2);
  });
});

const insertMigration = ({ knex }: Database, name: string): PromiseLike<unknown> =>
  knex('knex_migrations').insert({ name, batch: 2, migration_time: new Date() });
