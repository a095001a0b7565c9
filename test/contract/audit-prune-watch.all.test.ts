import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import type { AuditChainState } from '../../shared/audit.ts';
import { appendMixed } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { placeOf, trailUser, verdictOf, type WatchedChain, watchedChain } from '../support/pruned-trail.ts';

const LENGTH = 1_100;

/** That a trail may be pruned while it is watched is held by `chain-watch.test.ts`; here are the rarer moments. */
describeOnDatabases('the watch over an audit chain that is pruned', (databases) => {
  let close = async (): Promise<void> => {};
  afterEach(() => close());

  /** @param between called once, after this batch of all that are read */
  function watched(database: Database, between: () => Promise<unknown> = async () => {}, batch = 2): WatchedChain {
    const own = watchedChain(database, async (before) => before === batch - 1 && between());
    close = own.watch.close;
    return own;
  }
  async function trailOf(records: number): Promise<Database> {
    const { database } = await databases.migrated();
    await appendMixed(database, records);
    return database;
  }

  for (const [title, end] of [
    ['before the record that it has reached', 300],
    ['to its end', LENGTH],
  ] as const)
    it(`finds it intact when it is pruned ${title} while it is verified`, async () => {
      const database = await trailOf(LENGTH);
      const last = await placeOf(database, end);
      const own = watched(database, () => trailUser(database).prune(last));
      await own.becomes('whole', LENGTH + 1);
      assert.deepEqual(own.logged, []);
    });

  it('follows after a prune without ever reporting that less is verified', async () => {
    const database = await trailOf(LENGTH);
    let between: AuditChainState | undefined;
    // The first batch after the prune.
    const own = watched(
      database,
      async () => {
        between = await own.watch.state();
      },
      5,
    );
    await own.becomes('whole', LENGTH);
    await trailUser(database).prune(await placeOf(database, 300));
    await appendMixed(database, 20, LENGTH);
    await own.becomes('whole', LENGTH + 21);
    assert.deepEqual([between?.status, between?.verified_to], ['checking', LENGTH]);
    assert.deepEqual(own.logged, []);
  });

  it('detects another history, of a database that was restored, although it was pruned since', async () => {
    const database = await trailOf(400);
    const own = watched(database);
    await own.becomes('whole', 400);
    const head = await placeOf(database, 380);
    await database.knex('audit_log').where('sequence', '>', 380).delete();
    await database.knex('audit_head').where({ id: 1 }).update(head);
    await appendMixed(database, 100, 1_000);
    await trailUser(database).prune(await placeOf(database, 300));
    assert.equal(await verdictOf(trailUser(database)), '181 records after 300');
    await own.becomes('broken', 400);
  });

  it('detects a tail cut off together with its head after a prune', async () => {
    const database = await trailOf(400);
    const own = watched(database);
    await own.becomes('whole', 400);
    await trailUser(database).prune(await placeOf(database, 100));
    const head = await placeOf(database, 401);
    await own.becomes('whole', 401);
    await appendMixed(database, 5, 401);
    await own.becomes('whole', 406);
    await database.knex('audit_log').where('sequence', '>', 401).delete();
    await database.knex('audit_head').where({ id: 1 }).update(head);
    await own.becomes('broken', 402);
  });
});
