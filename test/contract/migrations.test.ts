import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KNEX_MIGRATIONS, MIGRATION_NAMES } from '../../server/db/migrations.ts';
import { migrate } from '../../server/db/open-database.ts';
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
