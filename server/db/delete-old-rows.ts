import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';

/** Small: on SQLite, all other writes wait for a batch, and it blocks the event loop. */
const BATCH = 500;
const PAUSE_MS = 20;

/**
 * Deletes any number of rows below a limit, in small transactions with a pause after each, so that other writes get
 * through.
 * @param rows.column an integer, indexed if there may be many rows
 * @param pause waits between two transactions
 */
export async function deleteOldRows(
  database: Pick<Database, 'client' | 'transaction'>,
  { table, column, below }: { table: string; column: string; below: number },
  pause: () => Promise<unknown> = () => sleep(PAUSE_MS, undefined, { ref: false }),
): Promise<void> {
  for (;;) {
    const deleted = await database.transaction((trx) => {
      const some = trx(table).where(column, '<', below).limit(BATCH);
      // SQLite's DELETE has no LIMIT by default; MySQL's subqueries have none.
      return database.client === 'mysql' ? some.delete() : trx(table).whereIn('rowid', some.select('rowid')).delete();
    });
    if (deleted < BATCH) return;
    await pause();
  }
}
