import assert from 'node:assert/strict';
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { MIGRATIONS } from '../../server/db/migrations.ts';
import { migrate } from '../../server/db/open-database.ts';
import { describeOnDatabases } from '../support/databases.ts';

const run = promisify(execFile);

const NAMES = [
  '001-settings',
  '002-audit-log',
  '003-revocations',
  '004-dashboard-layouts',
  '005-audit-subjects',
  '006-locked-accounts',
  '007-key-sightings',
  '008-used-login-states',
  '009-write-probes',
  '010-audit-subject-filters',
];

const collect = (): { names: string[]; log: Parameters<typeof migrate>[1] } => {
  const names: string[] = [];
  return { names, log: { info: (fields) => names.push(...(fields as { migrations: string[] }).migrations) } };
};

describeOnDatabases('migrations', (databases) => {
  let workers: ChildProcess[] = [];

  afterEach(() => {
    for (const worker of workers) worker.kill();
    workers = [];
  });

  it('run once, in order, and find nothing to do the second time', async () => {
    const database = databases.open(await databases.create());
    const first = collect();
    const second = collect();
    await migrate(database, first.log);
    await migrate(database, second.log);
    assert.deepEqual(first.names, NAMES);
    assert.deepEqual(second.names, []);
  });

  it('run once when two processes start together, in 20 rounds', async function () {
    this.timeout(180_000);
    workers = [1, 2].map(() => fork(new URL('../support/migrate-worker.ts', import.meta.url)));
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    for (let round = 0; round < 20; round += 1) {
      const url = await databases.create();
      const answers = await Promise.all(
        workers.map(async (worker) => {
          const answer = once(worker, 'message');
          worker.send(url);
          return (await answer)[0] as { ran?: string[]; failed?: string };
        }),
      );
      assert.deepEqual(
        answers.map(({ failed }) => failed),
        [undefined, undefined],
        `round ${round}`,
      );
      assert.deepEqual(answers.map(({ ran }) => ran).sort(), [[], NAMES], `round ${round}`);
    }
  });

  it('run after a process was killed in the midst of them, which leaves a lock behind', async () => {
    const { database } = await databases.migrated();
    await database.knex('knex_migrations').where('name', '>', '002').delete();
    await database.knex('knex_migrations_lock').update({ is_locked: 1 });
    const again = collect();
    await migrate(database, again.log);
    assert.deepEqual(again.names, NAMES.slice(1));
  });

  it('are the same on knex’ command line', async () => {
    const { url } = await databases.migrated();
    const { stdout } = await run(
      process.execPath,
      ['--import', 'tsx', 'node_modules/knex/bin/cli.js', 'migrate:list'],
      {
        cwd: new URL('../../', import.meta.url),
        env: { ...process.env, DATABASE_URL: url },
      },
    );
    for (const name of NAMES) assert.ok(stdout.includes(name), stdout);
    assert.match(stdout, /No Pending Migration/);
  });

  it('can be taken back', async () => {
    const { database } = await databases.migrated();
    await database.knex.migrate.rollback(MIGRATIONS, true);
    assert.equal(await database.knex.schema.hasTable('settings'), false);
  });

  if (databases.client === 'sqlite')
    it('make the files and their directory for the owner alone', async () => {
      const { url } = await databases.migrated();
      const file = url.slice('sqlite:'.length);
      for (const path of [file, `${file}-wal`, `${file}-shm`]) assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.equal((await stat(dirname(file))).mode & 0o777, 0o700);
    });
});
