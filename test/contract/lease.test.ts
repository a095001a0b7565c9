import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { lease } from '../../server/db/lease.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases(
  'a lease',
  (databases) => {
    let database: Database;
    beforeEach(async () => {
      ({ database } = await databases.createMigrated());
    });
    const expire = (): Promise<unknown> => database.knex('leases').update({ expires_at: 1 });

    it('belongs to one process until this process releases it', async () => {
      const [first, second] = [lease(database, 'sync'), lease(database, 'sync')];
      assert.equal(await first.hold(60), true);
      assert.equal(await second.hold(60), false);
      assert.equal(await first.hold(60), true);
      await second.release();
      assert.equal(await second.hold(60), false);
      await first.release();
      assert.equal(await second.hold(60), true);
      assert.equal(await first.hold(60), false);
      assert.equal(await lease(database, 'check').hold(60), true, 'a lease with another name');
    });

    it('is reported as held by its process within a transaction until it expires or another process obtains it', async () => {
      const [first, second] = [lease(database, 'sync'), lease(database, 'sync')];
      const isHeld = (own: typeof first): Promise<boolean> => database.transaction((trx) => own.isHeld(trx));
      assert.equal(await isHeld(first), false);
      await first.hold(60);
      assert.deepEqual([await isHeld(first), await isHeld(second)], [true, false]);
      await expire();
      assert.deepEqual([await isHeld(first), await isHeld(second)], [false, false]);
      await second.hold(60);
      assert.deepEqual([await isHeld(first), await isHeld(second)], [false, true]);
    });

    it('is obtained by only one of many processes at the same time, whether it is new or has expired', async () => {
      for (let round = 0; round < 2; round += 1) {
        const leases = Array.from({ length: 8 }, () => lease(database, `round ${round}`));
        for (let attempt = 0; attempt < 2; attempt += 1) {
          const obtained = await Promise.all(leases.map(({ hold }) => hold(60)));
          assert.equal(obtained.filter(Boolean).length, 1);
          await expire();
        }
      }
    });
  },
  { server: true },
);
