import assert from 'node:assert/strict';
import { deleteOldRows } from '../../server/db/delete-old-rows.ts';
import { rowsLost } from '../support/counted-database.ts';
import { describeOnDatabases } from '../support/databases.ts';

const TABLE = 'used_login_states';

describeOnDatabases('old rows', (databases) => {
  const stored = async (count: number, expires_at: number) => {
    const { database } = await databases.migrated();
    const states = Array.from({ length: count }, (_, index) => ({ state: `old ${index}`, expires_at }));
    await database.knex.batchInsert(TABLE, states, 500);
    return database;
  };

  it('go a few hundred in a transaction, and between two of them others write', async () => {
    const database = await stored(1_800, 99);
    const { watched, lost } = rowsLost(database, TABLE);
    let others = 0;
    await deleteOldRows(watched, { table: TABLE, column: 'expires_at', below: 100 }, () => {
      others += 1;
      return database.transaction((trx) => trx(TABLE).insert({ state: `new ${others}`, expires_at: 100 }));
    });
    assert.deepEqual(lost, [500, 500, 500, 300]);
    assert.equal(others, 3);
    assert.equal((await database.knex(TABLE).where({ expires_at: 100 })).length, 3);
  });

  it('that are none cost one look', async () => {
    const database = await stored(3, 100);
    const { watched, lost } = rowsLost(database, TABLE);
    await deleteOldRows(watched, { table: TABLE, column: 'expires_at', below: 100 }, () => assert.fail());
    assert.deepEqual(lost, [0]);
  });

  it('stay with a failure, which is the caller’s to hear of', async () => {
    const database = await stored(600, 99);
    const failing = { ...database, transaction: () => Promise.reject(new Error('away')) };
    await assert.rejects(deleteOldRows(failing, { table: TABLE, column: 'expires_at', below: 100 }), /away/);
  });
});
