import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { lease } from '../../server/db/lease.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases(
  'a lease',
  (databases) => {
    let database: Database;
    beforeEach(async () => {
      ({ database } = await databases.migrated());
    });
    const end = (): Promise<unknown> => database.knex('leases').update({ expires_at: 1 });

    it('is one process’s until it is given back', async () => {
      const [first, second] = [lease(database, 'pass'), lease(database, 'pass')];
      assert.equal(await first.hold(60), true);
      assert.equal(await second.hold(60), false);
      assert.equal(await first.hold(60), true);
      await second.release();
      assert.equal(await second.hold(60), false);
      await first.release();
      assert.equal(await second.hold(60), true);
      assert.equal(await first.hold(60), false);
      assert.equal(await lease(database, 'watch').hold(60), true, 'another one by another name');
    });

    it('is known to be still ours within a transaction, and not once its time is over or another process has it', async () => {
      const [first, second] = [lease(database, 'pass'), lease(database, 'pass')];
      const isHeld = (of: typeof first): Promise<boolean> => database.transaction((trx) => of.isHeld(trx));
      assert.equal(await isHeld(first), false);
      await first.hold(60);
      assert.deepEqual([await isHeld(first), await isHeld(second)], [true, false]);
      await end();
      assert.deepEqual([await isHeld(first), await isHeld(second)], [false, false]);
      await second.hold(60);
      assert.deepEqual([await isHeld(first), await isHeld(second)], [false, true]);
    });

    it('goes to one of many that want it at once', async () => {
      for (let round = 0; round < 2; round += 1) {
        const all = Array.from({ length: 8 }, () => lease(database, `round ${round}`));
        const held = await Promise.all(all.map((one) => one.hold(60)));
        assert.equal(held.filter(Boolean).length, 1);
        await end();
        const again = await Promise.all(all.map((one) => one.hold(60)));
        assert.equal(again.filter(Boolean).length, 1);
      }
    });
  },
  { server: true },
);
