import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';

/** A read that is compiled once: knex rebuilds its SQL on each call, which costs more than the read itself. */
export interface Statement<Row> {
  get(...bindings: (string | number)[]): Promise<Row | undefined>;
  all(...bindings: (string | number)[]): Promise<Row[]>;
}

export interface Database {
  client: 'sqlite' | 'mysql';
  knex: Knex;
  /**
   * Prepares a read of committed rows. On SQLite, it has its own connection and never waits for a transaction. On a
   * Galera cluster, it waits until its node has everything that was committed through the others.
   * @param options.mayLag skips that wait, so that the latest writes may be missing
   */
  statement<Row>(sql: string, options?: { mayLag?: boolean }): Statement<Row>;
  /**
   * Runs `work` all or nothing. SQLite takes the write lock at the start, so that reading before writing is safe.
   * `work` runs again if the server rolled it back in favour of another transaction, so its side effects must wait
   * until this resolves.
   */
  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** Rejects within a few seconds if the database is unavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Small, because on SQLite a batch delays all other writes and blocks the event loop. */
const BATCH = 500;
const PAUSE_MS = 20;

/** Rows whose `column` is less than `below`. */
interface OldRows {
  table: string;
  /** Must be indexed if there may be many rows. */
  column: string;
  below: number | string;
}

/** Deletes at most `atMost` of these rows. @returns how many were deleted */
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
 * Deletes all rows below a limit, in small transactions with a pause after each, so that other writes get through.
 * @param pause receives the number of rows deleted so far
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
