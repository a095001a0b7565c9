import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { auditKeyUse } from '../../server/audit/key-use.ts';
import type { Database } from '../../server/db/database.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { placeOf, seconds, type TrailUser, trailUser, verdictOf } from '../support/pruned-trail.ts';

const [FIRST, SECOND] = [1, 2].map(() => randomBytes(32).toString('base64')) as [string, string];

const withKeys = (database: Database, current: string, previous?: string): TrailUser =>
  trailUser(database, previous === undefined ? { current } : { current, previous });
const anchoredTo = (database: Database, { chain }: TrailUser): Promise<number> =>
  auditKeyUse(database, chain).anchoredTo();

describeOnDatabases('a pruned audit trail over rotations of its key', (databases) => {
  it('is sealed with everything that was signed with the previous key until the prune', async () => {
    const { database } = await databases.migrated();
    const first = withKeys(database, FIRST);
    await first.sign(100);
    const second = withKeys(database, SECOND, FIRST);
    await second.anchor();
    await first.sign(5, 100);
    assert.equal(await anchoredTo(database, second), 100);
    let signed = false;
    const transaction: Database['transaction'] = async (work) => {
      if (!signed) await first.sign(1, 105);
      signed = true;
      return database.transaction(work);
    };
    await withKeys({ ...database, transaction }, SECOND, FIRST).prune(await placeOf(database, 50));
    assert.equal(await anchoredTo(database, second), 107);
    assert.equal(await verdictOf(withKeys(database, SECOND)), '58 records after 50');
  });

  it('is not sealed by an anchor that was computed before the prune, but by the next one', async () => {
    const { database } = await databases.migrated();
    const first = withKeys(database, FIRST);
    await first.sign(100);
    const last = await placeOf(database, 50);
    let pruned = false;
    const transaction: Database['transaction'] = async (work) => {
      // By a process whose key is yet to be replaced: no anchor covers its prune.
      if (!pruned) await first.prune(last);
      pruned = true;
      return database.transaction(work);
    };
    const overtaken = withKeys({ ...database, transaction }, SECOND, FIRST);
    await overtaken.anchor();
    assert.equal(await anchoredTo(database, overtaken), 0);
    assert.equal(await verdictOf(overtaken), '51 records after 50');
    await overtaken.anchor();
    assert.equal(await anchoredTo(database, overtaken), 101);
    assert.equal(await verdictOf(withKeys(database, SECOND)), '52 records after 50');
  });

  it('still tells since when its key has been in use, even when it is pruned again', async () => {
    const { database } = await databases.migrated();
    const user = withKeys(database, FIRST);
    await user.sign(100, 7);
    for (const end of [0, 20, 60, 101]) {
      if (end > 0) await user.prune(await placeOf(database, end));
      const first = await auditKeyUse(database, user.chain).first(user.chain.keyIds.current);
      assert.equal(first?.at, seconds(7), `pruned up to ${end}`);
    }
  });
});
