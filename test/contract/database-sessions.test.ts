import assert from 'node:assert/strict';
import { storageChecks } from '../../server/checks/storage.ts';
import { sessionDeviations } from '../../server/db/checks.ts';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { MAX_AGE_MS } from '../../server/db/mysql-session.ts';
import { migrate, openDatabase, prepareDatabase } from '../../server/db/open-database.ts';
import { openReadOnly } from '../../server/settings-reader/read-only-database.ts';
import { createSettingsReader } from '../../server/settings-reader/settings-reader.ts';
import { ENCRYPTION_KEY, vaultOn, verifiedRecords } from '../support/audit-trail.ts';
import { silentLog } from '../support/context.ts';
import { type OwnMariadb, skipWithoutOwnMariadb, startMariadb } from '../support/databases.ts';
import { assertError, startSettingsApp } from '../support/settings-app.ts';
import { mysqlWire, type SeverableDatabase, severable } from '../support/severable.ts';

const TEXT = 'größe 🔑';

describe('connections to MariaDB', () => {
  const servers: { own: OwnMariadb; admin: Database; adminUrl: string; userUrl: string }[] = [];
  let cleanUp: (() => Promise<unknown>)[] = [];

  /** Starts two servers with the same tables. The first one ignores the character set that its clients request. */
  before(async function () {
    skipWithoutOwnMariadb(this);
    const text = ['--skip-character-set-client-handshake', '--character-set-server=latin1'];
    for (const args of [text, ['--skip-ssl']]) {
      const own = await startMariadb({ args });
      const url = new URL(await own.createDatabase());
      const start = openDatabase(parseDatabaseUrl(url.href), silentLog);
      await start.knex.raw('create database dashboard character set latin1');
      await start.knex.raw('create user ada');
      await start.knex.raw('grant all on dashboard.* to ada');
      await start.close();
      url.pathname = '/dashboard';
      const adminUrl = url.href;
      url.username = 'ada';
      const admin = openDatabase(parseDatabaseUrl(adminUrl), silentLog);
      await migrate(admin, silentLog);
      // The server does not execute this for administrators, whose connections use latin1.
      if (servers.length === 0) await admin.knex.raw("set global init_connect = 'SET NAMES utf8mb3'");
      servers.push({ own, admin, adminUrl, userUrl: url.href });
    }
  });
  afterEach(async () => {
    for (const step of cleanUp.reverse()) await step();
    cleanUp = [];
  });
  after(async () => {
    for (const { own, admin } of servers) {
      await admin.close();
      await own.close();
    }
  });

  const server = (index: number) => servers[index] ?? assert.fail();
  function open(url: string, monotonic?: () => number): Database {
    const database = openDatabase(parseDatabaseUrl(url), silentLog, monotonic);
    cleanUp.push(() => database.close());
    return database;
  }
  /** The address of a proxy that leads to the first server until a test moves it. */
  async function address(): Promise<SeverableDatabase> {
    const connection = await severable(server(0).userUrl);
    cleanUp.push(() => connection.close());
    return connection;
  }
  function setGlobal(setting: string): Promise<unknown> {
    cleanUp.push(() => server(1).own.query(`set global ${setting.replace(/=.*/, '=default')}`));
    return server(1).own.query(`set global ${setting}`);
  }
  const write = (database: Database, name: string): Promise<unknown> =>
    database.transaction((trx) => trx('leases').insert({ name, holder: 'a test', expires_at: 1 }));
  const namesOn = (index: number): Promise<string[]> => server(index).admin.knex('leases').pluck('name');

  describe('after a failover', () => {
    for (const writers of [1, 20])
      it(`lead to the new server after one refused write if the old one is read-only (concurrent writes: ${writers})`, async () => {
        const moving = await address();
        const database = open(moving.url);
        await Promise.all(Array.from({ length: writers }, (_, index) => write(database, `${writers}.before.${index}`)));
        await server(0).admin.knex.raw('set global read_only = 1');
        cleanUp.push(() => server(0).admin.knex.raw('set global read_only = 0'));
        moving.moveTo(server(1).userUrl);
        await assert.rejects(write(database, `${writers}.refused`), isUnavailable);
        await Promise.all(Array.from({ length: writers }, (_, index) => write(database, `${writers}.after.${index}`)));
        const names = await namesOn(1);
        for (let index = 0; index < writers; index += 1) assert.ok(names.includes(`${writers}.after.${index}`));
      });

    it('are replaced at their maximum age, but not in a transaction, if the old server still accepts writes', async () => {
      const moving = await address();
      let now = 0;
      const database = open(moving.url, () => now);
      const reader = openReadOnly(parseDatabaseUrl(moving.url), () => now);
      cleanUp.push(() => reader.close());
      const names = reader.statement<{ name: string }>('select name from leases');
      const read = async (): Promise<string[]> => (await names.all()).map(({ name }) => name);
      // Twice, so that no connection of the first round is still being opened when the address moves.
      for (const round of ['young', 'younger'])
        await Promise.all(Array.from({ length: 6 }, (_, index) => write(database, `${round}.${index}`)));
      assert.ok((await read()).includes('young.0'));
      moving.moveTo(server(1).userUrl);
      now = MAX_AGE_MS - 1;
      await write(database, 'early');
      await database.transaction(async (trx) => {
        await trx('leases').insert({ name: 'long', holder: 'a test', expires_at: 1 });
        now = MAX_AGE_MS;
        await Promise.all(Array.from({ length: 12 }, (_, index) => write(database, `late.${index}`)));
        await trx('leases').where({ name: 'long' }).update({ expires_at: 2 });
      });
      const [old, current] = await Promise.all([namesOn(0), namesOn(1)]);
      assert.deepEqual(
        [old.includes('early'), old.includes('long'), old.some((name) => name.startsWith('late'))],
        [true, true, false],
      );
      assert.equal(current.filter((name) => name.startsWith('late')).length, 12);
      assert.ok((await read()).includes('late.0'));
    });
  });

  describe('whose character set the server chooses', () => {
    it('store text unchanged and leave the audit trail intact', async () => {
      for (const [key, url] of [
        ['latin1', server(0).adminUrl],
        ['utf8mb3', server(0).userUrl],
      ] as const) {
        const database = open(url);
        const { vault, audit } = vaultOn(database);
        await vault.put({ key, value: TEXT, category: TEXT }, TEXT);
        assert.equal((await vault.get(key))?.category, TEXT);
        assert.equal(typeof (await verifiedRecords(audit)), 'number');
        const reader = createSettingsReader({ databaseUrl: url, encryptionKeys: [ENCRYPTION_KEY] });
        cleanUp.push(() => reader.close());
        assert.equal(await reader.get(key), TEXT);
        assert.deepEqual(await sessionDeviations(database), []);
      }
    });

    it('fail if the server ignores the character set of the service', async () => {
      const wire = await mysqlWire(server(0).userUrl);
      cleanUp.push(() => wire.close());
      wire.decide = (statement) => (/^set session sql_mode/i.test(statement) ? 'ignored' : 'pass');
      await assert.rejects(open(wire.url).ping(), /does not accept utf8mb4 for character_set_client/);
      const reader = createSettingsReader({ databaseUrl: wire.url, encryptionKeys: [ENCRYPTION_KEY] });
      cleanUp.push(() => reader.close());
      await assert.rejects(reader.get('latin1'), isUnavailable);
    });
  });

  for (const setting of (
    'autocommit=0 completion_type=2 default_storage_engine=MyISAM innodb_default_row_format=compact max_join_size=1 ' +
    'max_sort_length=64 max_statement_time=0.001 net_read_timeout=1 net_write_timeout=1 sort_buffer_size=1024 ' +
    'sql_buffer_result=1 sql_quote_show_create=0 sql_safe_updates=1 sql_select_limit=1 tx_read_only=1 unique_checks=0'
  ).split(' '))
    it(`migrate, write and read whatever the defaults of the server are (${setting})`, async () => {
      const { own, admin } = server(1);
      const url = await own.createDatabase();
      // These two are not set.
      const name = /^(?!max_join|innodb)\w+/.exec(setting);
      const inSession = `show session variables where Variable_name in ('sql_big_selects', '${name}')`;
      const usual = await admin.statement(inSession).all();
      await setGlobal(setting);
      const database = open(url);
      await migrate(database, silentLog);
      const { vault, audit } = vaultOn(database);
      for (let index = 0; index < 30; index += 1) await vault.put({ key: `${index}`, value: TEXT }, 'ada');
      assert.equal(await verifiedRecords(audit), 30);
      const reader = openReadOnly(parseDatabaseUrl(url));
      cleanUp.push(() => reader.close());
      for (const { statement } of [database, reader]) assert.deepEqual(await statement(inSession).all(), usual);
    });

  it('warn of a low max_allowed_packet, and refuse what exceeds it with 413 before it is sent', async () => {
    const { adminUrl } = server(1);
    await setGlobal('max_allowed_packet=65536');
    const database = open(adminUrl);
    const warnings: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
    await prepareDatabase(database, { address: parseDatabaseUrl(adminUrl), migrations: 'run', log });
    const { status } = await storageChecks({ database } as never).database_limits.look();
    assert.deepEqual([warnings, status], [[{ bytes: 65_536 }], 'fail']);
    const app = await startSettingsApp(database);
    cleanUp.push(app.close);
    const response = await app.call('/api/settings', { json: { key: 'large', value: 'x'.repeat(65_536) } });
    const { message } = await assertError(response, 413, 'payload_too_large');
    assert.equal(message, 'The database accepts less than 65536 bytes at once (max_allowed_packet).');
    assert.deepEqual([(await app.vault.list().next()).value, await verifiedRecords(vaultOn(database).audit)], [[], 0]);
    const outcome = (bytes: number) =>
      database.knex.raw(`select '${'x'.repeat(bytes - 9)}'`).then(
        () => 'sent',
        ({ code }) => code,
      );
    assert.deepEqual([await outcome(65_534), await outcome(65_535)], ['sent', 'STATEMENT_TOO_LARGE']);
  });

  it('fail if ssl-mode requires TLS and the server does not support it', async () => {
    await assert.rejects(open(`${server(1).userUrl}&ssl-mode=REQUIRED`).ping(), { code: 'HANDSHAKE_NO_SSL_SUPPORT' });
  });

  it('are shared by all requests if the server allows only a few', async () => {
    const { knex } = server(0).admin;
    cleanUp.push(() => knex.raw('set global max_connections = 100'));
    cleanUp.push(() => knex.raw('alter user ada with max_user_connections 0'));
    for (const limit of ['set global max_connections = 10', 'alter user ada with max_user_connections 2']) {
      await knex.raw(limit);
      const database = open(server(0).userUrl);
      const names = Array.from({ length: 40 }, (_, index) => `${limit} ${index}`.slice(-36));
      await Promise.all(names.flatMap((name) => [write(database, name), database.ping()]));
      await database.close();
      const stored = new Set(await namesOn(0));
      assert.deepEqual(
        names.filter((name) => !stored.has(name)),
        [],
      );
    }
  });
});
