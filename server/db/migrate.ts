import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { DatabaseNotReady, retry } from './errors.ts';
import type { Prove } from './migration-lock.ts';
import { MIGRATION_NAMES, MIGRATIONS } from './migrations.ts';

const READ_TIMEOUT_MS = 3_000;
/** The word `breaks` in a migration's name. */
const BREAKS = /(?:^|-)breaks(?:-|$)/;
/** The first migration of the builds before 0.1.0. */
const BEFORE_RELEASES = '001-settings';

/** The names of the migrations that have run; empty for an empty database. */
export async function namesOfRun({ knex }: Database): Promise<string[]> {
  try {
    return await knex('knex_migrations').orderBy('id').pluck('name').timeout(READ_TIMEOUT_MS);
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (code === 'ER_NO_SUCH_TABLE' || String(message).includes('no such table')) return [];
    throw error;
  }
}

/**
 * Names of the pending migrations, and of applied ones that are unknown to this release.
 * @throws DatabaseNotReady if this release cannot work on the database
 */
export async function migrationState(database: Database) {
  const names = await namesOfRun(database);
  if (names.includes(BEFORE_RELEASES))
    throw new DatabaseNotReady('The database was created by a build before 0.1.0. Start release 0.1.0 on it first.');
  const foreign = names.filter((name) => !MIGRATION_NAMES.includes(name));
  const breaking = foreign.filter((name) => BREAKS.test(name));
  if (breaking.length > 0)
    throw new DatabaseNotReady(
      `A later release has changed the database so that this one cannot work with it: ${breaking.join(', ')}. Start that release, or a later one.`,
    );
  return { missing: MIGRATION_NAMES.filter((name) => !names.includes(name)), foreign };
}

/**
 * Runs the missing migrations in order, and records them as knex would. The lock is proved before each migration and
 * again when it is recorded. On SQLite, a migration is one transaction; MySQL commits each change of a table by itself,
 * so an interrupted migration is run again.
 * @param applied receives the names of the migrations as they are applied
 * @param signal ends the run before the next migration
 * @throws LockLost if another process has taken over the lock: nothing is run or recorded after that
 */
export async function runMigrations(
  database: Database,
  prove: Prove,
  applied: string[],
  signal?: AbortSignal,
): Promise<void> {
  const { client, knex, transaction } = database;
  const proved = <T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> =>
    transaction(async (trx) => {
      await prove(trx);
      return work(trx);
    });

  await retry(() => proved(createKnexTables));
  const names = await retry(() => namesOfRun(database));
  const [latest] = await retry(async () => knex('knex_migrations').max('batch as batch'));
  const batch = Number(latest?.['batch'] ?? 0) + 1;

  for (const { name, up } of MIGRATIONS.filter(({ name }) => !names.includes(name))) {
    if (signal?.aborted)
      throw new DatabaseNotReady(`The migrations were stopped before ${name}: the next start continues with it.`);
    if (client === 'mysql')
      await retry(async () => {
        await retry(() => transaction(prove));
        await up(knex);
      });
    await retry(() =>
      proved(async (trx) => {
        if (client === 'sqlite') await up(trx);
        if ((await trx('knex_migrations').where({ name }).first('id')) !== undefined) return;
        await trx('knex_migrations').insert({ name, batch, migration_time: new Date() });
      }),
    );
    applied.push(name);
  }
}

/** Creates knex's tables as knex does: its command line and builds of 0.1.0 use them. The row frees their lock. */
async function createKnexTables(trx: Knex.Transaction): Promise<void> {
  if (!(await trx.schema.hasTable('knex_migrations')))
    await trx.schema.createTable('knex_migrations', (table) => {
      table.increments();
      table.string('name');
      table.integer('batch');
      table.timestamp('migration_time');
    });
  if (!(await trx.schema.hasTable('knex_migrations_lock')))
    await trx.schema.createTable('knex_migrations_lock', (table) => {
      table.increments('index').primary();
      table.integer('is_locked');
    });
  if ((await trx('knex_migrations_lock').first('index')) === undefined)
    await trx('knex_migrations_lock').insert({ is_locked: 0 });
}
