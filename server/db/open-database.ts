import type { Database } from './database.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { DatabaseLog } from './knex-options.ts';
import { MIGRATIONS } from './migrations.ts';
import { openMysql } from './mysql-database.ts';
import { openSqlite } from './sqlite-database.ts';
import { takeOver } from './take-over.ts';

/** Opens a database without touching it: the first query connects, and fails when it is away (see `isUnavailable`). */
export const openDatabase = (address: DatabaseAddress, log: DatabaseLog): Database =>
  address.client === 'sqlite' ? openSqlite(address.path, log) : openMysql(address.url, log);

/**
 * Brings the tables up to date. Processes that start together migrate once: the others wait and find nothing to do.
 * @throws when the database is of a later release, or too old; it is then as it was
 */
export async function migrate(database: Database, log: { info(fields: object, message: string): void }): Promise<void> {
  await database.exclusively(async (knex) => {
    const taken = await takeOver(knex);
    if (taken.length > 0) log.info({ migrations: taken }, 'database of a build before 0.1.0 taken over');
    // knex marks its own lock in a table, where it outlives a process that was killed; ours is the one that counts.
    await knex.migrate.forceFreeMigrationsLock(MIGRATIONS);
    // MySQL ends a transaction at each change of a table; on SQLite this all is one transaction already.
    const [, names] = await knex.migrate.latest({ ...MIGRATIONS, disableTransactions: database.client === 'mysql' });
    if (names.length > 0) log.info({ migrations: names }, 'database migrated');
  });
}
