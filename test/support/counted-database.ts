import type { Database } from '../../server/db/database.ts';

/** A database that counts what is asked of it, prepared or through knex. */
export interface CountedDatabase extends Database {
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
