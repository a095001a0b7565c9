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
 * @param pause waits between two transactions
 */
export async function deleteOldRows(
  database: Pick<Database, 'client' | 'transaction'>,
  rows: OldRows,
  pause: () => Promise<unknown> = () => sleep(PAUSE_MS, undefined, { ref: false }),
): Promise<void> {
  for (;;) {
    const deleted = await database.transaction((trx) =>
      deleteOldBatch(database.client, trx, { ...rows, atMost: BATCH }),
    );
    if (deleted < BATCH) return;
    await pause();
  }
}
