import assert from 'node:assert/strict';
import createKnex from 'knex';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { MIGRATION_NAMES } from '../../server/db/migrations.ts';
import { openDatabase, PREPARE_TIMES, prepareDatabase } from '../../server/db/open-database.ts';
import { silentLog } from '../support/context.ts';
import { TEST_KEYS } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { type Running, SERVICE, startNode } from '../support/processes.ts';
import { severable } from '../support/severable.ts';

const LISTENING = /"port":(\d+),"msg":"listening"/;

describeOnDatabases('a start of the service', (databases) => {
  let running: Running[] = [];
  afterEach(async () => {
    await Promise.all(running.map((process) => process.stop('SIGKILL')));
    running = [];
  });

  function main(url: string, args: readonly string[] = [], env: Record<string, string> = {}): Running {
    const fixed = { ...TEST_KEYS, PORT: '0', AUTH_URL: 'http://127.0.0.1:1', OAUTH_CLIENT_ID: 'dashboard' };
    const process = startNode([...SERVICE, ...args], { ...fixed, DATABASE_URL: url, LOG_LEVEL: 'info', ...env });
    running.push(process);
    return process;
  }
  async function isHealthy(process: Running): Promise<boolean> {
    const [, port] = await process.printed(LISTENING);
    return (await fetch(`http://127.0.0.1:${port}/api/health`)).ok;
  }
  const namesIn = ({ knex }: Database): Promise<string[]> => knex('knex_migrations').orderBy('id').pluck('name');

  it('beside two others on an empty database: all of them come up, and each migration runs once', async () => {
    const url = await databases.create();
    const three = [main(url), main(url), main(url)];
    assert.deepEqual(await Promise.all(three.map(isHealthy)), [true, true, true]);
    assert.deepEqual(await namesIn(databases.open(url)), MIGRATION_NAMES);
  });

  it('that only waits for migrations comes up once the command has run them, and changes no table', async () => {
    const url = await databases.create();
    const service = main(url, [], { MIGRATIONS: 'wait' });
    await service.printed(/migrations are missing: waiting up to 60 seconds/);
    const database = databases.open(url);
    assert.equal(await database.knex.schema.hasTable('knex_migrations'), false);
    const first = main(url, ['migrate'], { MIGRATIONS: 'wait' });
    assert.equal(await first.ended(), 0, first.output());
    assert.equal(first.output(), `Applied: ${MIGRATION_NAMES.join(', ')}.\n`);
    assert.equal(await isHealthy(service), true);
    const second = main(url, ['migrate']);
    assert.deepEqual([await second.ended(), second.output()], [0, 'No migration is missing.\n']);
  });

  it('ends with 1 and the name of a later migration that breaks this release', async () => {
    const { url, database } = await databases.migrated();
    const name = '021-breaks-settings-key';
    await database.knex('knex_migrations').insert({ name, batch: 2, migration_time: new Date() });
    for (const [args, env] of [
      [[], {}],
      [['migrate'], {}],
    ] as const) {
      const process = main(url, args, env);
      assert.equal(await process.ended(), 1);
      assert.match(process.output(), /^A later release has changed the database .*: 021-breaks-settings-key\. /m);
      assert.doesNotMatch(process.output(), /^\s+at /m);
    }
  });

  if (databases.client === 'mysql')
    it('needs no right to change tables where another process runs the migrations', async () => {
      const { url, database } = await databases.migrated();
      const own = new URL(url);
      const name = own.pathname.slice(1);
      own.username = name.slice(-24);
      own.password = 'pass/word';
      const user = `'${own.username}'@'%'`;
      await database.knex.raw(`create user ${user} identified by 'pass/word'`);
      try {
        await database.knex.raw(`grant select, insert, update, delete on ${name}.* to ${user}`);
        const knex = createKnex({ client: 'mysql2', connection: own.href, pool: { min: 0, max: 1 } });
        await assert.rejects(
          knex.schema.createTable('x', (table) => table.increments()),
          /denied/,
        );
        await knex.destroy();
        assert.equal(await isHealthy(main(own.href, [], { MIGRATIONS: 'wait' })), true);
        const rekey = main(own.href, ['settings:rekey'], { MIGRATIONS: 'wait' });
        assert.equal(await rekey.ended(), 0, rekey.output());
        assert.equal(await isHealthy(main(own.href)), true, 'nothing is missing');

        await database.knex('knex_migrations').where('name', '>=', '016').delete();
        const refused = main(own.href, ['migrate']);
        assert.equal(await refused.ended(), 1);
        assert.match(
          refused.output(),
          /The database in DATABASE_URL failed: error 1142, \w+ command denied to user … for table …\.$/m,
        );
        assert.doesNotMatch(refused.output(), new RegExp(`${own.username}|localhost|pass`));

        await database.knex.raw(`alter user ${user} account lock`);
        const locked = databases.open(own.href);
        const times = { ...PREPARE_TIMES, awayMs: 50, everyMs: 10 };
        const address = parseDatabaseUrl(own.href);
        await assert.rejects(prepareDatabase(locked, { address, migrations: 'run', log: silentLog, times }), {
          name: 'DatabaseNotReady',
          message:
            /unavailable for 0\.05 seconds: error 4151, Access denied, this account is locked\. See the log of the database server\.$/,
        });
      } finally {
        await database.knex.raw(`drop user ${user}`);
      }
    });
});

const WAITING = /the database is unavailable: waiting up to 30 seconds/;
const LAUNCHER = ['server/launcher/start.ts', '--no-build'];

describe('a start while the database is away', () => {
  let away: string;
  let running: Running[] = [];
  before(async () => {
    away = `mysql://ada:secret@127.0.0.1:${await freePort()}/dashboard`;
  });
  afterEach(async () => {
    await Promise.all(running.map((process) => process.stop('SIGKILL')));
    running = [];
  });

  async function start(program: readonly string[], env: Record<string, string> = {}): Promise<Running> {
    const fixed = { ...TEST_KEYS, AUTH_URL: 'http://127.0.0.1:1', OAUTH_CLIENT_ID: 'dashboard', LOG_LEVEL: 'info' };
    const process = startNode(program, { ...fixed, PORT: String(await freePort()), DATABASE_URL: away, ...env });
    running.push(process);
    return process;
  }

  it('gives up in time, and names the variable alone', async () => {
    const warned: string[] = [];
    const address = parseDatabaseUrl(away);
    const database = openDatabase(address, silentLog);
    const log = { info: () => {}, warn: (_fields: object, message: string) => void warned.push(message) };
    const times = { ...PREPARE_TIMES, awayMs: 100, everyMs: 10 };
    await assert.rejects(prepareDatabase(database, { address, migrations: 'run', log, times }), {
      name: 'DatabaseNotReady',
      message:
        'The database was unavailable for 0.1 seconds: ECONNREFUSED. Correct the address in DATABASE_URL, or start the database.',
    });
    await database.close();
    assert.match(warned[0] ?? '', /^the database is unavailable: waiting up to/);
    assert.deepEqual(warned.slice(1), ['the database is still unavailable']);
  });

  it('ends at once on a signal', async () => {
    const processes = await Promise.all([SERVICE, LAUNCHER].map((program) => start(program)));
    for (const process of processes) {
      await process.printed(WAITING);
      assert.equal(await process.stop('SIGTERM'), 0, process.output());
      assert.doesNotMatch(process.output(), /^\s+at |stayed/m);
    }
    const command = await start([...SERVICE, 'posture']);
    await command.printed(WAITING);
    assert.equal(await command.stop('SIGTERM'), null, 'ended by the signal');
  });

  describeOnDatabases('that comes back', (databases) => {
    if (databases.client === 'sqlite') return;

    it('goes on as soon as its server is there, and the database on it', async () => {
      const url = await databases.create();
      const way = await severable(url);
      try {
        await way.sever();
        const process = await start(SERVICE, { DATABASE_URL: way.url });
        await process.printed(WAITING);
        await way.restore();
        await process.printed(/"msg":"listening"/);
        assert.equal(process.output().match(new RegExp(WAITING, 'g'))?.length, 1);

        const unknown = new URL(url);
        unknown.pathname = `${unknown.pathname}_later`;
        const early = await start(SERVICE, { DATABASE_URL: unknown.href });
        await early.printed(/"code":"ER_BAD_DB_ERROR","errno":1049/);
        const database = databases.open(url);
        await database.knex.raw(`create database ${unknown.pathname.slice(1)}`);
        await early.printed(/"msg":"listening"/);
        await early.stop('SIGKILL');
        await database.knex.raw(`drop database ${unknown.pathname.slice(1)}`);
      } finally {
        await way.close();
      }
    }).timeout(60_000);
  });
});
