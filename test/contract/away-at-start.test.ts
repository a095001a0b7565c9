import assert from 'node:assert/strict';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { openDatabase, PREPARE_TIMES, prepareDatabase } from '../../server/db/open-database.ts';
import { silentLog } from '../support/context.ts';
import { TEST_KEYS } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { type Running, SERVICE, startNode } from '../support/processes.ts';
import { severable } from '../support/severable.ts';

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
    });
  });
});
