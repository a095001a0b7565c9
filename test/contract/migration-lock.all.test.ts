import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type LockTimes, migrationLock } from '../../server/db/migration-lock.ts';
import { MIGRATION_NAMES } from '../../server/db/migrations.ts';
import { migrate } from '../../server/db/open-database.ts';
import { silentLog } from '../support/context.ts';
import { describeOnDatabases, isStopped } from '../support/databases.ts';
import { eventually, until } from '../support/eventually.ts';

/** Times of a lock that expires within seconds unless it is renewed. */
const SHORT: LockTimes = { leaseSeconds: 1, graceSeconds: 1, renewMs: 100, silentMs: 30_000 };

describeOnDatabases('the migration lock', (databases) => {
  let worker: ChildProcess | undefined;
  afterEach(() => worker?.kill('SIGKILL'));

  it('is lost by a frozen process, which runs and records no further migration after it continues', async () => {
    const url = await databases.create();
    const frozen = fork(new URL('../support/migrate-worker.ts', import.meta.url));
    worker = frozen;
    await once(frozen, 'message');
    frozen.send({ url, times: SHORT, freezeAfter: 3 });
    await until(() => isStopped(frozen.pid));
    const database = databases.open(url);
    const ran = await migrate(database, silentLog, { times: SHORT });
    assert.deepEqual(ran, MIGRATION_NAMES.slice(3));
    const result = once(frozen, 'message');
    frozen.kill('SIGCONT');
    assert.deepEqual((await result)[0], { ran: MIGRATION_NAMES.slice(0, 3), afterFreeze: [] });
    assert.deepEqual(await database.knex('knex_migrations').orderBy('id').pluck('name'), MIGRATION_NAMES);
  });

  it('is waited for without a limit while its holder renews it', async () => {
    const url = await databases.create();
    const [first, second] = [databases.open(url), databases.open(url)];
    const times = { ...SHORT, silentMs: 3_000 };
    const renewals = async (): Promise<number> => (await first.knex('migration_lock').first('renewals'))?.renewals ?? 0;
    let ran: readonly string[] | undefined;
    let waiting: Promise<void> | undefined;
    const isHeld = await migrationLock(first, silentLog, times).whileOurs(async () => {
      waiting = migrate(second, silentLog, { times }).then((names) => {
        ran = names;
      });
      // This takes longer than lease, grace and silence together.
      await eventually(async () => (await renewals()) >= 60, true, undefined, 60_000);
      assert.equal(ran, undefined);
    });
    await waiting;
    assert.deepEqual([isHeld, ran], [true, MIGRATION_NAMES]);
  });
});
