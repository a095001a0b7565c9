import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from './database.ts';

/** Small: on SQLite, all other writes wait for a batch, and it blocks the event loop. */
const BATCH = 500;
const PAUSE_MS = 20;

/** Rows that are below a limit. */
export interface OldRows {
  table: string;
  /** Indexed if there may be many rows. */
  column: string;
  below: number | string;
}

/** Deletes at most some of them. @returns how many */
export function deleteOldBatch(
  client: Database['client'],
  trx: Knex.Transaction,
  { table, column, below, atMost }: OldRows & { atMost: number },
): Promise<number> {
  const some = trx(table).where(column, '<', below).limit(atMost);
  // SQLite's DELETE has no LIMIT by default; MySQL's subqueries have none.
  return client === 'mysql' ? some.delete() : trx(table).whereIn('rowid', some.select('rowid')).delete();
}

/**
 * Deletes any number of rows below a limit, in small transactions with a pause after each, so that other writes get
 * through.
 * @param pause waits between two transactions; takes how many rows have been deleted so far
 * @returns how many were deleted
 */
export async function deleteOldRows(
  database: Pick<Database, 'client' | 'transaction'>,
  rows: OldRows,
  pause: (deleted: number) => Promise<unknown> = () => sleep(PAUSE_MS, undefined, { ref: false }),
): Promise<number> {
  let all = 0;
  for (;;) {
    const deleted = await database.transaction((trx) =>
      deleteOldBatch(database.client, trx, { ...rows, atMost: BATCH }),
    );
    all += deleted;
    if (deleted < BATCH) return all;
    await pause(all);
  }
}
