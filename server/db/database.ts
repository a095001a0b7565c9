import type { Knex } from 'knex';

/** A read that is compiled once; knex builds its text at each call, which costs more than the read itself. */
export interface Statement<Row> {
  get(...bindings: (string | number)[]): Promise<Row | undefined>;
  all(...bindings: (string | number)[]): Promise<Row[]>;
}

export interface Database {
  client: 'sqlite' | 'mysql';
  knex: Knex;
  /** Prepares a read of committed rows. On SQLite it has a connection of its own, which no transaction holds up. */
  statement<Row>(sql: string): Statement<Row>;
  /** All or nothing. On SQLite the write lock is taken at the start, so that reading before writing is safe. */
  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** Runs `work` while no other process on this database does the like; waits up to a minute for its turn. */
  exclusively<T>(work: (knex: Knex) => Promise<T>): Promise<T>;
  /** Rejects within a few seconds when the database is away. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
