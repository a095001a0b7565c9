import type { Database } from './database.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { DatabaseLog } from './knex-options.ts';
import { MIGRATIONS } from './migrations.ts';
import { openMysql } from './mysql-database.ts';
import { openSqlite } from './sqlite-database.ts';
import { takeOver } from './take-over.ts';

/** Opens a database lazily: the first query connects, and fails if it is unavailable (see `isUnavailable`). */
export const openDatabase = (address: DatabaseAddress, log: DatabaseLog): Database =>
  address.client === 'sqlite' ? openSqlite(address.path, log) : openMysql(address.url, log);

/**
 * Applies pending migrations. Of several processes starting together, one migrates; the others wait and find nothing to
 * do.
 * @throws when the database belongs to a later release or is too old; it is then unchanged
 */
export async function migrate(database: Database, log: { info(fields: object, message: string): void }): Promise<void> {
  await database.exclusively(async (knex) => {
    const taken = await takeOver(knex);
    if (taken.length > 0) log.info({ migrations: taken }, 'database of a build before 0.1.0 taken over');
    // knex' own lock is a row in a table and outlives a killed process; ours is the one that counts.
    await knex.migrate.forceFreeMigrationsLock(MIGRATIONS);
    // MySQL commits implicitly at each change of a table; on SQLite all of this is one transaction already.
    const [, names] = await knex.migrate.latest({ ...MIGRATIONS, disableTransactions: database.client === 'mysql' });
    if (names.length > 0) log.info({ migrations: names }, 'migrations applied');
  });
}
