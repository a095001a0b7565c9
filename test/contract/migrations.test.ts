import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database } from '../../server/db/database.ts';
import { LOCK_TIMES, type LockTimes, migrationLock } from '../../server/db/migration-lock.ts';
import { KNEX_MIGRATIONS, MIGRATION_NAMES } from '../../server/db/migrations.ts';
import { migrate } from '../../server/db/open-database.ts';
import { silentLog } from '../support/context.ts';
import { describeOnDatabases } from '../support/databases.ts';

/** Starts processes that migrate on request, and kills them after the test. To be called in a suite. */
function startsWorkers(): () => Promise<ChildProcess> {
  let workers: ChildProcess[] = [];
  afterEach(() => {
    for (const worker of workers) worker.kill('SIGKILL');
    workers = [];
  });
  return async () => {
    const worker = fork(new URL('../support/migrate-worker.ts', import.meta.url));
    workers.push(worker);
    await once(worker, 'message');
    return worker;
  };
}

describeOnDatabases('migrations', (databases) => {
  const startWorker = startsWorkers();

  it('leave what knex and 0.1.0 expect: their names in order, one batch for each start, and no lock', async () => {
    const { database } = await databases.createMigrated();
    await database.knex('knex_migrations').where('name', '>=', '012').delete();
    await migrate(database, silentLog);
    const rows = await database.knex('knex_migrations').orderBy('id').select('name', 'batch', 'migration_time');
    assert.deepEqual(
      rows.map(({ name, batch }) => [name, batch]),
      MIGRATION_NAMES.map((name) => [name, name < '012' ? 1 : 2]),
    );
    assert.ok(rows.every(({ migration_time }) => Math.abs(Number(new Date(migration_time)) - Date.now()) < 600_000));
    assert.deepEqual(await database.knex('knex_migrations_lock').pluck('is_locked'), [0]);
    assert.deepEqual(await database.knex.migrate.latest(KNEX_MIGRATIONS), [2, []]);
  });

  it('run only once if two processes start at the same time', async () => {
    const workers = await Promise.all([startWorker(), startWorker()]);
    for (let round = 0; round < 3; round += 1) {
      const url = await databases.create();
      const results = await Promise.all(
        workers.map(async (worker): Promise<{ ran?: string[]; failed?: string }> => {
          const result = once(worker, 'message');
          worker.send({ url });
          return (await result)[0];
        }),
      );
      assert.deepEqual(results.map(({ ran }) => ran).sort(), [[], MIGRATION_NAMES], JSON.stringify(results));
    }
  });

  it('run although a killed process of 0.1.0 has left the lock of knex locked', async () => {
    const { database } = await databases.createMigrated();
    await database.knex('knex_migrations').where('name', '>', '002').delete();
    await database.knex('knex_migrations_lock').update({ is_locked: 1 });
    assert.deepEqual(await migrate(database, silentLog), MIGRATION_NAMES.slice(1));
  });

  if (databases.client === 'sqlite')
    it('create the database files and their directory with access for the owner only', async () => {
      const { url } = await databases.createMigrated();
      const file = url.slice('sqlite:'.length);
      for (const path of [file, `${file}-wal`, `${file}-shm`]) assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.equal((await stat(dirname(file))).mode & 0o777, 0o700);
    });
});

/** Times of a lock that expires within seconds unless it is renewed. */
const SHORT: LockTimes = { leaseSeconds: 1, graceSeconds: 1, renewMs: 100, silentMs: 30_000 };

describeOnDatabases(
  'the migration lock',
  (databases) => {
    const startWorker = startsWorkers();
    const namesIn = ({ knex }: Database): Promise<string[]> => knex('knex_migrations').orderBy('id').pluck('name');
    const locks = ({ knex }: Database): Promise<unknown[]> => knex('migration_lock').select();

    it('is taken over from a killed process by one that runs the remaining migrations', async () => {
      const url = await databases.create();
      const killed = await startWorker();
      killed.send({ url, times: SHORT, killBefore: 'create table if not exists dashboard_layouts' });
      assert.equal((await once(killed, 'exit'))[1], 'SIGKILL');
      const database = databases.open(url);
      const before = await namesIn(database);
      assert.equal(before.at(-1), '006-create-revocation-version');
      const ran = await migrate(database, silentLog, { times: SHORT });
      assert.deepEqual([...before, ...ran], MIGRATION_NAMES);
      assert.deepEqual(await namesIn(database), MIGRATION_NAMES);
      assert.deepEqual(await locks(database), []);
    });

    /** Inserts the lock of an unknown process. @param ends when its lease ends, in seconds from now */
    async function insertLock(database: Database, ends: number): Promise<void> {
      await migrationLock(database, silentLog, LOCK_TIMES).whileOurs(async () => {});
      const now = databases.client === 'mysql' ? 'unix_timestamp()' : "cast(strftime('%s', 'now') as integer)";
      const expires_at = database.knex.raw(`${now} + ?`, [ends]);
      await database.knex('migration_lock').insert({ id: 1, token: 'of another', renewals: 7, expires_at });
    }

    it('is not taken over until a minute after the end of its lease, which a logged warning announces', async () => {
      const database = databases.open(await databases.create());
      await insertLock(database, -5);
      const ending = new AbortController();
      const warnings: [object, string][] = [];
      const warn = (fields: object, message: string): void => {
        warnings.push([fields, message]);
        ending.abort();
      };
      await assert.rejects(migrate(database, { info: () => {}, warn }, { signal: ending.signal }), {
        name: 'AbortError',
      });
      const [[fields, message] = assert.fail()] = warnings;
      assert.match(message, /no sign of life: taking over if it stays silent/);
      const { seconds } = fields as { seconds: number };
      assert.ok(seconds > 0 && seconds <= 55, String(seconds));
      assert.equal((await database.knex('migration_lock').first('token')).token, 'of another');
    });

    it('has only one holder at a time if two processes take it over after it has expired', async () => {
      const url = await databases.create();
      const both = [databases.open(url), databases.open(url)];
      for (let round = 0; round < 2; round += 1) {
        await insertLock(databases.open(url), -61);
        let holders = 0;
        const taken = await Promise.all(
          both.map((database) =>
            migrationLock(database, silentLog, LOCK_TIMES).whileOurs(async (prove) => {
              holders += 1;
              await database.transaction(prove);
              assert.equal(holders, 1);
              await database.transaction(prove);
              holders -= 1;
            }),
          ),
        );
        assert.ok(taken.includes(true));
      }
    });

    it('stays with its process, which runs each migration once, if the connection breaks after every other commit', async () => {
      const database = databases.open(await databases.create());
      let transactions = 0;
      const failing: Database = {
        ...database,
        async transaction(work) {
          transactions += 1;
          const breaks = transactions % 2 === 1;
          const outcome = await database.transaction(work);
          if (breaks) throw Object.assign(new Error('planted'), { code: 'PROTOCOL_CONNECTION_LOST' });
          return outcome;
        },
      };
      assert.deepEqual(await migrate(failing, silentLog), MIGRATION_NAMES);
      assert.deepEqual(await namesIn(database), MIGRATION_NAMES);
      assert.deepEqual(await locks(database), []);
    });
  },
  { server: true },
);
