import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { ActEvent } from '../../server/audit/audit-event.ts';
import { until } from '../support/becomes.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { auditOn, recordsOf, verifiedRecords } from '../support/vault.ts';

const act = (index: number): ActEvent => ({
  action: 'proxy_write',
  actor: 'd1b2c3d4-0000-4000-8000-000000000001',
  target: `target ${index}`,
});

describeOnDatabases('records that are queued', (databases) => {
  it('are stored in the order they came, with the time of the act', async () => {
    const { database } = await databases.migrated();
    let now = Date.UTC(2026, 0, 1);
    const { audit } = auditOn(database, undefined, () => now);
    const events = Array.from({ length: 500 }, (_, index) => act(index));
    for (const event of events) void audit.queue(event);
    now += 60_000;
    await audit.drain();
    assert.deepEqual(
      await recordsOf(database),
      events.map((event) => ({ ...event, timestamp: '2026-01-01T00:00:00.000Z' })),
    );
  });

  it('leave others a turn between two batches of a flood, each of which is waited for', async () => {
    const { database } = await databases.migrated();
    let transactions = 0;
    const { audit } = auditOn({
      ...database,
      transaction: (work) => {
        transactions += 1;
        return database.transaction(work);
      },
    });
    let queued = 0;
    let flooding = true;
    const flood = Array.from({ length: 64 }, async () => {
      for (; flooding; queued += 1) {
        await audit.queue(act(queued));
        // A queue whose last write failed answers at once: without this, nothing else would ever run.
        await turn();
      }
    });
    await until(() => queued >= 200);
    for (let record = 0; record < 20; record += 1) {
      const before = transactions;
      await audit.record(act(record));
      const [own, underWay, next] = [1, 1, 1];
      assert.ok(transactions - before <= own + underWay + next, `${transactions - before} transactions`);
    }
    flooding = false;
    await Promise.all(flood);
    const batches = transactions - 20;
    assert.ok(batches < queued / 10, `${batches} for ${queued}`);
    assert.equal(await verifiedRecords(audit), queued + 20);
  });
});
