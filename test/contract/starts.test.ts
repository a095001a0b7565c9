import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { MIGRATION_NAMES } from '../../server/db/migrations.ts';
import { openDatabase, PREPARE_TIMES, prepareDatabase } from '../../server/db/open-database.ts';
import { silentLog } from '../support/context.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { freePort } from '../support/loopback.ts';
import { folderOfSuite } from '../support/of-suite.ts';
import { type Running, runningOfTest, SERVICE_ARGUMENTS, startMain } from '../support/processes.ts';
import { severable } from '../support/severable.ts';

const LISTENING = /"port":(\d+),"msg":"listening"/;
const WAITING = /the database is unavailable: waiting up to 30 seconds/;
const LAUNCHER = ['server/launcher/start.ts', '--no-build'];

/** @param warned gets the logged warnings */
async function prepare(url: string, warned: string[] = []): Promise<void> {
  const address = parseDatabaseUrl(url);
  const database = openDatabase(address, silentLog);
  const log = { info: () => {}, warn: (_fields: object, message: string) => void warned.push(message) };
  const times = { ...PREPARE_TIMES, awayMs: 100, everyMs: 10 };
  await prepareDatabase(database, { address, migrations: 'run', log, times }).finally(database.close);
}

describeOnDatabases('a start of the service', (databases) => {
  const running = runningOfTest();
  const main = (url: string, args: readonly string[] = [], env: Record<string, string> = {}): Running =>
    running(startMain(url, env, [...SERVICE_ARGUMENTS, ...args]));

  async function isHealthy(process: Running): Promise<boolean> {
    const [, port] = await process.untilPrinted(LISTENING);
    return (await fetch(`http://127.0.0.1:${port}/api/health`)).ok;
  }

  it('with MIGRATIONS=wait changes no table, and succeeds once the command migrate has run', async () => {
    const url = await databases.create();
    const service = main(url, [], { MIGRATIONS: 'wait' });
    await service.untilPrinted(/migrations are missing: waiting up to 60 seconds/);
    const database = databases.open(url);
    assert.equal(await database.knex.schema.hasTable('knex_migrations'), false);
    const first = main(url, ['migrate'], { MIGRATIONS: 'wait' });
    assert.equal(await first.ended(), 0, first.output());
    assert.equal(first.output(), `Applied: ${MIGRATION_NAMES.join(', ')}.\n`);
    assert.equal(await isHealthy(service), true);
    const second = main(url, ['migrate']);
    assert.deepEqual([await second.ended(), second.output()], [0, 'No migration is missing.\n']);
  });

  it('fails with exit code 1 and the name of a later migration that breaks this release', async () => {
    const { url, database } = await databases.createMigrated();
    const name = '021-breaks-settings-key';
    await database.knex('knex_migrations').insert({ name, batch: 2, migration_time: new Date() });
    for (const args of [[], ['migrate']]) {
      const process = main(url, args);
      assert.equal(await process.ended(), 1);
      assert.match(process.output(), /^A later release has changed the database .*: 021-breaks-settings-key\. /m);
      assert.doesNotMatch(process.output(), /^\s+at /m);
    }
  });

  if (databases.client === 'mysql')
    it('needs no right to change tables if another process runs the migrations', async () => {
      const { url, database } = await databases.createMigrated();
      const own = new URL(url);
      const name = own.pathname.slice(1);
      own.username = name.slice(-24);
      own.password = 'pass/word';
      const user = `'${own.username}'@'%'`;
      await database.knex.raw(`create user ${user} identified by 'pass/word'`);
      try {
        await database.knex.raw(`grant select, insert, update, delete on ${name}.* to ${user}`);
        await assert.rejects(databases.open(own.href).knex.raw('create table x (y int)'), /denied/);
        assert.equal(await isHealthy(main(own.href, [], { MIGRATIONS: 'wait' })), true);
        const rekey = main(own.href, ['settings:rekey'], { MIGRATIONS: 'wait' });
        assert.equal(await rekey.ended(), 0, rekey.output());
        assert.equal(await isHealthy(main(own.href)), true, 'no migration is missing');

        await database.knex('knex_migrations').where('name', '>=', '016').delete();
        const refused = main(own.href, ['migrate']);
        assert.equal(await refused.ended(), 1);
        assert.match(
          refused.output(),
          /The database in DATABASE_URL failed: error 1142, \w+ command denied to user … for table …\.$/m,
        );
        assert.doesNotMatch(refused.output(), new RegExp(`${own.username}|localhost|pass`));

        await database.knex.raw(`alter user ${user} account lock`);
        await assert.rejects(prepare(own.href), {
          name: 'DatabaseNotReady',
          message:
            /unavailable for 0\.1 seconds: error 4151, Access denied, this account is locked\. See the log of the database server\.$/,
        });
      } finally {
        await database.knex.raw(`drop user ${user}`);
      }
    });
});

describe('a start while the database is unavailable', () => {
  const running = runningOfTest();
  const start = (program: readonly string[], url: string, env: Record<string, string> = {}): Running =>
    running(startMain(url, env, program));
  const inFolder = folderOfSuite();
  let unavailable: string;
  before(async () => {
    unavailable = `mysql://ada:secret@127.0.0.1:${await freePort()}/dashboard`;
  });

  it('fails with the advice to check the path if the file is not a SQLite database', async () => {
    await writeFile(inFolder('text'), 'no database, and longer than the header of one '.repeat(10));
    await assert.rejects(prepare(`sqlite:${inFolder('text')}`), {
      name: 'DatabaseNotReady',
      message: /: SQLITE_NOTADB\. Correct the path in DATABASE_URL, or check the file, its folder and its disk\.$/,
    });
  });

  it('fails after the maximum wait with a message that names DATABASE_URL and contains no part of its value', async () => {
    const warned: string[] = [];
    await assert.rejects(prepare(unavailable, warned), {
      name: 'DatabaseNotReady',
      message:
        'The database was unavailable for 0.1 seconds: ECONNREFUSED. Correct the address in DATABASE_URL, or start the database.',
    });
    assert.match(warned[0] ?? '', /^the database is unavailable: waiting up to/);
    assert.deepEqual(warned.slice(1), ['the database is still unavailable']);
  });

  it('ends at once on SIGTERM', async () => {
    const env = { PORT: String(await freePort()) };
    for (const process of [start(SERVICE_ARGUMENTS, unavailable), start(LAUNCHER, unavailable, env)]) {
      await process.untilPrinted(WAITING);
      assert.equal(await process.stop('SIGTERM'), 0, process.output());
      assert.doesNotMatch(process.output(), /^\s+at |stayed/m);
    }
    const command = start([...SERVICE_ARGUMENTS, 'settings:rekey'], unavailable);
    await command.untilPrinted(WAITING);
    assert.equal(await command.stop('SIGTERM'), null);
  });

  describeOnDatabases('at first', (databases) => {
    if (databases.client === 'sqlite') return;

    it('continues as soon as the server responds or the missing database has been created', async () => {
      const url = await databases.create();
      const connection = await severable(url);
      try {
        await connection.sever();
        const process = start(SERVICE_ARGUMENTS, connection.url);
        await process.untilPrinted(WAITING);
        await connection.restore();
        await process.untilPrinted(LISTENING);
        assert.equal(process.output().match(new RegExp(WAITING, 'g'))?.length, 1);

        const missing = new URL(url);
        missing.pathname = `${missing.pathname}_later`;
        const early = start(SERVICE_ARGUMENTS, missing.href);
        await early.untilPrinted(/"code":"ER_BAD_DB_ERROR","errno":1049/);
        const database = databases.open(url);
        await database.knex.raw(`create database ${missing.pathname.slice(1)}`);
        await early.untilPrinted(LISTENING);
        await early.stop('SIGKILL');
        await database.knex.raw(`drop database ${missing.pathname.slice(1)}`);
      } finally {
        await connection.close();
      }
    });
  });
});
