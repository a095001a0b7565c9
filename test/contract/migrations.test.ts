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

const collect = (): { names: string[]; log: Parameters<typeof migrate>[1] } => {
  const names: string[] = [];
  return {
    names,
    log: { info: (fields) => names.push(...((fields as { migrations?: string[] }).migrations ?? [])), warn: () => {} },
  };
};

describeOnDatabases('migrations', (databases) => {
  let workers: ChildProcess[] = [];

  afterEach(() => {
    for (const worker of workers) worker.kill();
    workers = [];
  });

  it('leave what knex and 0.1.0 expect: names in order, one batch for each start, and their lock free', async () => {
    const { database } = await databases.migrated();
    await database.knex('knex_migrations').where('name', '>=', '012').delete();
    await migrate(database, collect().log);
    const rows = await database.knex('knex_migrations').orderBy('id').select('name', 'batch', 'migration_time');
    assert.deepEqual(
      rows.map(({ name, batch }) => [name, batch]),
      MIGRATION_NAMES.map((name) => [name, name < '012' ? 1 : 2]),
    );
    assert.ok(rows.every(({ migration_time }) => Math.abs(Number(new Date(migration_time)) - Date.now()) < 600_000));
    assert.deepEqual(await database.knex('knex_migrations_lock').pluck('is_locked'), [0]);
    assert.deepEqual(await database.knex.migrate.latest(KNEX_MIGRATIONS), [2, []]);
  });

  const start = async (count: number): Promise<ChildProcess[]> => {
    workers = Array.from({ length: count }, () => fork(new URL('../support/migrate-worker.ts', import.meta.url)));
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    return workers;
  };
  const bothOn = (url: string): Promise<{ ran?: string[]; failed?: string }[]> =>
    Promise.all(
      workers.map(async (worker) => {
        const response = once(worker, 'message');
        worker.send({ url });
        return (await response)[0];
      }),
    );

  it('run once when two processes start together, in three rounds', async () => {
    await start(2);
    for (let round = 0; round < 3; round += 1) {
      const responses = await bothOn(await databases.create());
      assert.deepEqual(responses.map(({ ran }) => ran).sort(), [[], MIGRATION_NAMES], JSON.stringify(responses));
    }
  });

  it('run whatever knex’ own lock says, which a killed process of 0.1.0 leaves behind', async () => {
    const { database } = await databases.migrated();
    await database.knex('knex_migrations').where('name', '>', '002').delete();
    await database.knex('knex_migrations_lock').update({ is_locked: 1 });
    const again = collect();
    await migrate(database, again.log);
    assert.deepEqual(again.names, MIGRATION_NAMES.slice(1));
  });

  if (databases.client === 'sqlite')
    it('make the files and their directory for the owner alone', async () => {
      const { url } = await databases.migrated();
      const file = url.slice('sqlite:'.length);
      for (const path of [file, `${file}-wal`, `${file}-shm`]) assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.equal((await stat(dirname(file))).mode & 0o777, 0o700);
    });
});

/** Over within seconds once nobody renews it. */
const SHORT: LockTimes = { leaseSeconds: 1, graceSeconds: 1, renewMs: 100, silentMs: 30_000 };

describeOnDatabases(
  'the lock for migrations',
  (databases) => {
    let worker: ChildProcess | undefined;
    afterEach(() => worker?.kill('SIGKILL'));

    async function order(message: object): Promise<ChildProcess> {
      const started = fork(new URL('../support/migrate-worker.ts', import.meta.url));
      worker = started;
      await once(started, 'message');
      started.send(message);
      return started;
    }
    const namesIn = ({ knex }: Database): Promise<string[]> => knex('knex_migrations').orderBy('id').pluck('name');
    const locks = ({ knex }: Database): Promise<unknown[]> => knex('migration_lock').select();

    it('is taken over from a process that was killed, and the migrations go on where it stood', async () => {
      const url = await databases.create();
      const killed = await order({ url, times: SHORT, killBefore: 'create table if not exists dashboard_layouts' });
      assert.equal((await once(killed, 'exit'))[1], 'SIGKILL');
      const database = databases.open(url);
      const begun = await namesIn(database);
      assert.equal(begun.at(-1), '006-create-revocation-version');
      const ran = await migrate(database, silentLog, { times: SHORT });
      assert.deepEqual([...begun, ...ran], MIGRATION_NAMES);
      assert.deepEqual(await namesIn(database), MIGRATION_NAMES);
      assert.deepEqual(await locks(database), []);
    });

    /** Left by a process that nobody knows; `ends` is relative to the database's clock. */
    async function leftBehind(database: Database, ends: number): Promise<void> {
      await migrationLock(database, silentLog, LOCK_TIMES).whileOurs(async () => {});
      const now = databases.client === 'mysql' ? 'unix_timestamp()' : "cast(strftime('%s', 'now') as integer)";
      const expires_at = database.knex.raw(`${now} + ?`, [ends]);
      await database.knex('migration_lock').insert({ id: 1, token: 'of another', renewals: 7, expires_at });
    }

    it('is left alone for a minute after it was to be renewed, and the log says so', async () => {
      const database = databases.open(await databases.create());
      await leftBehind(database, -5);
      const ending = new AbortController();
      const said: [object, string][] = [];
      const warn = (fields: object, message: string): void => {
        said.push([fields, message]);
        ending.abort();
      };
      await assert.rejects(migrate(database, { info: () => {}, warn }, { signal: ending.signal }), {
        name: 'AbortError',
      });
      const [[fields, message] = assert.fail()] = said;
      assert.match(message, /no sign of life: taking over if it stays silent/);
      const { seconds } = fields as { seconds: number };
      assert.ok(seconds > 0 && seconds <= 55, String(seconds));
      assert.equal((await database.knex('migration_lock').first('token')).token, 'of another');
    });

    it('goes to one of two that find it over', async () => {
      const url = await databases.create();
      const two = [databases.open(url), databases.open(url)];
      for (let round = 0; round < 2; round += 1) {
        await leftBehind(two[0] as Database, -61);
        let inside = 0;
        const taken = await Promise.all(
          two.map((database) =>
            migrationLock(database, silentLog, LOCK_TIMES).whileOurs(async (prove) => {
              inside += 1;
              await database.transaction(prove);
              assert.equal(inside, 1);
              await database.transaction(prove);
              inside -= 1;
            }),
          ),
        );
        assert.ok(taken.includes(true));
      }
    });

    it('is held and the migrations run once where the answer to each commit is lost', async () => {
      const database = databases.open(await databases.create());
      let turn = 0;
      const failing: Database = {
        ...database,
        async transaction(work) {
          turn += 1;
          const isLost = turn % 2 === 1;
          const outcome = await database.transaction(work);
          if (isLost) throw Object.assign(new Error('planted'), { code: 'PROTOCOL_CONNECTION_LOST' });
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
