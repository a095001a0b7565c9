import assert from 'node:assert/strict';
import { isUnavailable } from '../../server/db/unavailable.ts';
import { until } from '../support/becomes.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { mysqlWire } from '../support/severable.ts';

const DEADLOCK = 1213;

describeOnDatabases('transactions that the server always ends in favour of another', (databases) => {
  if (databases.client === 'sqlite') return;

  it('are refused for now, store nothing, and let others pass while they wait', async () => {
    const { url, database } = await databases.migrated();
    const wire = await mysqlWire(url);
    wire.decide = (statement, before) =>
      /^commit/i.test(statement) && before.some((each) => /doomed/.test(each)) ? DEADLOCK : 'pass';
    const service = databases.open(wire.url);
    let runs = 0;
    const doomed = Array.from({ length: 40 }, (_, index) =>
      service.transaction(async (trx) => {
        runs += 1;
        await trx('leases').insert({ name: `doomed ${index}`, holder: 'a test', expires_at: 1 });
      }),
    );
    const refused = Promise.allSettled(doomed);
    await until(() => runs >= 80);
    await service.transaction(async (trx) => {
      await trx('leases').insert({ name: 'a', holder: 'a test', expires_at: 1 });
    });
    for (const outcome of await refused) assert.ok(outcome.status === 'rejected' && isUnavailable(outcome.reason));
    assert.deepEqual(await database.knex('leases').pluck('name'), ['a']);
    await wire.close();
  });
});
