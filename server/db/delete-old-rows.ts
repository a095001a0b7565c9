import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';

/** Small: on SQLite all other writes wait for it, and so does the process. */
const BATCH = 500;
const PAUSE_MS = 20;

/**
 * Deletes the rows whose number is below a limit, however many they are: in small transactions with a pause after each,
 * in which whoever else writes has a turn.
 * @param rows.column a whole number; has an index where there may be many rows
 * @param pause passes the time between two transactions
 */
export async function deleteOldRows(
  database: Pick<Database, 'client' | 'transaction'>,
  { table, column, below }: { table: string; column: string; below: number },
  pause: () => Promise<unknown> = () => sleep(PAUSE_MS, undefined, { ref: false }),
): Promise<void> {
  for (;;) {
    const deleted = await database.transaction((trx) => {
      const some = trx(table).where(column, '<', below).limit(BATCH);
      // SQLite's DELETE takes no limit unless it was built for it; MySQL's subqueries take none.
      return database.client === 'mysql' ? some.delete() : trx(table).whereIn('rowid', some.select('rowid')).delete();
    });
    if (deleted < BATCH) return;
    await pause();
  }
}
