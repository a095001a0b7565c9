import assert from 'node:assert/strict';
import { deleteOldRows } from '../../server/db/database.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { rowsLost } from '../support/rows-lost.ts';

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
});
