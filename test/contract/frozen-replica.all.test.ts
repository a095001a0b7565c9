import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../../server/db/unavailable.ts';
import { becomes } from '../support/becomes.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { auditOn, recordsOf, vaultOn } from '../support/vault.ts';

describeOnDatabases('a replica that froze while it held the audit trail’s lock', (databases) => {
  // SQLite's file has one process, and no server that could notice its silence.
  if (databases.client === 'sqlite') return;

  let holder: ChildProcess;
  afterEach(() => holder.kill('SIGKILL'));
  const said = async (): Promise<unknown> => (await once(holder, 'message'))[0];

  async function freezeHolder(url: string): Promise<void> {
    holder = fork(new URL('../support/lock-holder.ts', import.meta.url));
    assert.equal(await said(), 'ready');
    holder.send(url);
    assert.equal(await said(), 'holding');
    holder.kill('SIGSTOP');
  }

  it('stops the writes of others for seconds only, and nothing of its own arrives once it goes on', async () => {
    const { url, database } = await databases.migrated();
    const { vault, audit } = vaultOn(database);
    await vault.put({ key: 'kept', value: '1' }, 'ada');
    await freezeHolder(url);
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

  it('does not keep callers waiting for a queued record too long; it is stored once the lock is free', async () => {
    const { url, database } = await databases.migrated();
    const { audit } = auditOn(database);
    await freezeHolder(url);
    await audit.queue({ action: 'proxy_write', actor: 'ada', target: '/x' });
    assert.deepEqual(audit.queueState(), { taken: 1, waiting: 1, dropped: 0, failing: false });
    await becomes(() => audit.queueState().waiting, 0, undefined, 30_000);
    assert.deepEqual(
      (await recordsOf(database)).map(({ actor }) => actor),
      ['ada'],
    );
  });
});
