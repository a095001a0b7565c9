import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { isUnavailable } from '../../server/db/errors.ts';
import { LOCK_WAIT_SECONDS, SILENT_CLIENT_SECONDS } from '../../server/db/mysql-session.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { recordsOf, vaultOn } from '../support/vault.ts';

describeOnDatabases(
  'a replica that froze while it held the audit trail’s lock',
  (databases) => {
    // SQLite's file has one process, and no server that could notice its silence.
    if (databases.client === 'sqlite') return;

    let holder: ChildProcess | undefined;
    afterEach(() => holder?.kill('SIGKILL'));

    it('holds up writes until the server ends its connection, and reads never; nothing of it arrives later', async () => {
      const { url, database } = await databases.migrated();
      const { vault, audit } = vaultOn(database);
      await vault.put({ key: 'kept', value: '1' }, 'ada');
      const frozen = fork(new URL('../support/lock-holder.ts', import.meta.url));
      holder = frozen;
      const said = async (): Promise<unknown> => (await once(frozen, 'message'))[0];
      assert.equal(await said(), 'ready');
      frozen.send(url);
      assert.equal(await said(), 'holding');
      frozen.kill('SIGSTOP');

      const [[{ id }]] = await database.knex.raw(
        'select p.id from information_schema.innodb_trx t join information_schema.processlist p ' +
          'on p.id = t.trx_mysql_thread_id where p.db = database()',
      );
      let isStored = false;
      async function write(): Promise<void> {
        while (!isStored)
          try {
            await vault.put({ key: 'kept', value: '2' }, 'ada');
            isStored = true;
          } catch (error) {
            assert.ok(isUnavailable(error));
          }
      }
      const writing = write();
      assert.equal((await vault.get('kept'))?.value, '1');
      assert.equal(isStored, false);
      // As it does by itself once the process has been silent for long enough.
      await database.knex.raw('kill ?', [id]);
      await writing;

      const outcome = said();
      frozen.kill('SIGCONT');
      frozen.send('go on');
      assert.equal(await outcome, 'unavailable');
      assert.deepEqual(
        (await recordsOf(database)).map(({ actor }) => actor),
        ['ada', 'ada'],
      );
      assert.equal((await audit.verify()).ok, true);
    });

    it('is given up by the server within seconds, and waited for by others for fewer', async () => {
      const { database } = await databases.migrated();
      const [[limits]] = await database.knex.raw(
        'select @@session.wait_timeout as silent, @@session.innodb_lock_wait_timeout as waiting',
      );
      assert.deepEqual(limits, { silent: SILENT_CLIENT_SECONDS, waiting: LOCK_WAIT_SECONDS });
      assert.ok(SILENT_CLIENT_SECONDS <= 10 && LOCK_WAIT_SECONDS < SILENT_CLIENT_SECONDS);
    });
  },
  { server: true },
);
