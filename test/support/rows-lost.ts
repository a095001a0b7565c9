import type { Database } from '../../server/db/database.ts';

/** Tells how many rows of a table each transaction took away. @returns `lost` grows with each that is committed */
export function rowsLost(database: Database, table: string): { watched: Database; lost: number[] } {
  const { transaction: begin } = database;
  const lost: number[] = [];
  const transaction: Database['transaction'] = async (work) => {
    let fewer = 0;
    const outcome = await begin(async (trx) => {
      const count = async (): Promise<number> => Number((await trx(table).count({ rows: '*' }))[0]?.['rows']);
      const before = await count();
      const response = await work(trx);
      fewer = before - (await count());
      return response;
    });
    lost.push(fewer);
    return outcome;
  };
  return { watched: { ...database, transaction }, lost };
}
