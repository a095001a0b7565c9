import type { Database } from '../../server/db/database.ts';

/** A database that counts what is asked of it, prepared or through knex. */
interface CountedDatabase extends Database {
  asked(): number;
}

export function countedDatabase(database: Database): CountedDatabase {
  let asked = 0;
  const counting =
    <Arguments extends unknown[], Answer>(ask: (...bindings: Arguments) => Answer) =>
    (...bindings: Arguments): Answer => {
      asked += 1;
      return ask(...bindings);
    };
  // On MySQL a prepared read goes through knex, which would count it twice.
  if (database.client === 'mysql') database.knex.on('query', () => (asked += 1));
  return {
    ...database,
    statement<Row>(sql: string, options?: { mayLag?: boolean }) {
      const { get, all, getAtHand } = database.statement<Row>(sql, options);
      return database.client === 'mysql'
        ? { get, all, getAtHand }
        : { get: counting(get), all: counting(all), getAtHand: counting(getAtHand) };
    },
    transaction: (work) => {
      asked += 1;
      return database.transaction(work);
    },
    asked: () => asked,
  };
}

/** Tells how many rows of a table each transaction took away. @returns `lost` grows with each that is committed */
export function rowsLost(database: Database, table: string): { watched: Database; lost: number[] } {
  const { transaction: begin } = database;
  const lost: number[] = [];
  const transaction: Database['transaction'] = async (work) => {
    let fewer = 0;
    const outcome = await begin(async (trx) => {
      const count = async (): Promise<number> => Number((await trx(table).count({ rows: '*' }))[0]?.['rows']);
      const before = await count();
      const answer = await work(trx);
      fewer = before - (await count());
      return answer;
    });
    lost.push(fewer);
    return outcome;
  };
  return { watched: { ...database, transaction }, lost };
}
