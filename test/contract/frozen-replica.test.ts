import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../server/db/unavailable.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { recordsOf, vaultOn } from '../support/vault.ts';

describeOnDatabases('a replica that froze while it held the audit trail’s lock', (databases) => {
  // SQLite's file has one process, and no server that could notice its silence.
  if (databases.client === 'sqlite') return;

  let holder: ChildProcess;
  afterEach(() => holder.kill('SIGKILL'));
  const said = async (): Promise<unknown> => (await once(holder, 'message'))[0];

  it('stops the writes of others for seconds only, and nothing of its own arrives once it goes on', async function () {
    this.timeout(60_000);
    const { url, database } = await databases.migrated();
    const { vault, audit } = vaultOn(database);
    await vault.put({ key: 'kept', value: '1' }, 'ada');
    holder = fork(new URL('../support/lock-holder.ts', import.meta.url));
    assert.equal(await said(), 'ready');
    holder.send(url);
    assert.equal(await said(), 'holding');
    holder.kill('SIGSTOP');

    let refused = 0;
    for (;;) {
      try {
        await vault.put({ key: 'kept', value: '2' }, 'ada');
        break;
      } catch (error) {
        assert.ok(isUnavailable(error));
        refused += 1;
        assert.equal((await vault.get('kept'))?.value, '1', 'reads go on');
        await sleep(100);
      }
    }
    assert.ok(refused > 0, 'the lock was held');

    const outcome = said();
    holder.kill('SIGCONT');
    holder.send('go on');
    assert.equal(await outcome, 'unavailable');
    assert.deepEqual(
      (await recordsOf(database)).map(({ actor }) => actor),
      ['ada', 'ada'],
    );
    assert.equal((await audit.verify()).ok, true);
  });
});
