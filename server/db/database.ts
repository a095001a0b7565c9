import type { Knex } from 'knex';
import type { DatabaseAddress } from './database-address.ts';
import type { DatabaseLog } from './knex-options.ts';
import type { MaybePromise } from './maybe-promise.ts';
import { MIGRATIONS } from './migrations.ts';
import { openMysql } from './mysql-database.ts';
import { openSqlite } from './sqlite-database.ts';

/** A read that is compiled once; knex builds its text anew at each call, which costs more than the read itself. */
export interface Statement<Row> {
  get(...bindings: (string | number)[]): MaybePromise<Row | undefined>;
  all(...bindings: (string | number)[]): MaybePromise<Row[]>;
}

export interface Database {
  client: 'sqlite' | 'mysql';
  knex: Knex;
  /** Prepares a read of committed rows. On SQLite it answers at once, from a connection that no transaction holds up. */
  statement<Row>(sql: string): Statement<Row>;
  /** All or nothing. On SQLite the write lock is taken at the start, so that reading before writing is safe. */
  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** Runs `work` while no other process on this database does the like; waits up to a minute for its turn. */
  exclusively<T>(work: (knex: Knex) => Promise<T>): Promise<T>;
  /** Rejects within a few seconds when the database is away. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a database without touching it: the first query connects, and fails when it is away (see `isUnavailable`). */
export const openDatabase = (address: DatabaseAddress, log: DatabaseLog): Database =>
  address.client === 'sqlite' ? openSqlite(address.path, log) : openMysql(address.url, log);

/** Brings the tables up to date. Processes that start together migrate once: the others wait and find nothing to do. */
export async function migrate(database: Database, log: { info(fields: object, message: string): void }): Promise<void> {
  await database.exclusively(async (knex) => {
    // knex marks its own lock in a table, where it outlives a process that was killed; ours is the one that counts.
    await knex.migrate.forceFreeMigrationsLock(MIGRATIONS);
    // MySQL ends a transaction at each change of a table; on SQLite this all is one transaction already.
    const [, names] = await knex.migrate.latest({ ...MIGRATIONS, disableTransactions: database.client === 'mysql' });
    if (names.length > 0) log.info({ migrations: names }, 'database migrated');
  });
}
