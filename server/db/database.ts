import type { Knex } from 'knex';

/** A read compiled once: knex rebuilds its SQL at each call, which costs more than the read itself. */
export interface Statement<Row> {
  get(...bindings: (string | number)[]): Promise<Row | undefined>;
  all(...bindings: (string | number)[]): Promise<Row[]>;
  /** `get` in the same turn, where the database runs in this process; undefined where it has to be waited for. */
  getAtHand(...bindings: (string | number)[]): { row: Row | undefined } | undefined;
}

export interface Database {
  client: 'sqlite' | 'mysql';
  knex: Knex;
  /**
   * Prepares a read of committed rows. On SQLite it has its own connection and never waits for a transaction. On a Galera
   * cluster it waits until its node has what was committed through any other.
   * @param options.mayLag does without that, and so may miss the writes of the last moments
   */
  statement<Row>(sql: string, options?: { mayLag?: boolean }): Statement<Row>;
  /**
   * All or nothing. SQLite takes the write lock at the start, so that reading before writing is safe. `work` runs again
   * if the server ended it in favour of another transaction: what it does besides must wait until this resolves.
   */
  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** Rejects within a few seconds if the database is unavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
