import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { DatabaseNotReady, persistently } from './errors.ts';
import type { Prove } from './migration-lock.ts';
import { MIGRATION_NAMES, MIGRATIONS, type NamedMigration } from './migrations.ts';

/** Names of the pending migrations, and of applied ones that this release does not know. */
export interface MigrationState {
  missing: string[];
  foreign: string[];
}

const READ_TIMEOUT_MS = 3_000;
/** A word of the name. */
const BREAKS = /(?:^|-)breaks(?:-|$)/;

/** The names of the migrations that ran; none on an empty database. */
export async function namesOfRun({ knex }: Database): Promise<string[]> {
  try {
    return await knex('knex_migrations').orderBy('id').pluck('name').timeout(READ_TIMEOUT_MS);
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}

/** @param ran the names of the migrations that ran */
export const stateAfter = (ran: readonly string[]): MigrationState => ({
  missing: MIGRATION_NAMES.filter((name) => !ran.includes(name)),
  foreign: ran.filter((name) => !MIGRATION_NAMES.includes(name)),
});

export const migrationState = async (database: Database): Promise<MigrationState> =>
  stateAfter(await namesOfRun(database));

/** @throws DatabaseNotReady if a later release has changed the database so that this one cannot work on it */
export function refuseBroken({ foreign }: MigrationState): void {
  const breaking = foreign.filter((name) => BREAKS.test(name));
  if (breaking.length > 0)
    throw new DatabaseNotReady(
      `A later release has changed the database so that this one cannot work with it: ${breaking.join(', ')}. Start that release, or a later one.`,
    );
}

const isMissingTable = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { code?: unknown }).code === 'ER_NO_SUCH_TABLE' || error.message.includes('no such table'));

/** Migrations of builds before 0.1.0. After the last one, the tables are the same as in 0.1.0. */
const FORMER = [
  '001-settings',
  '002-audit-log',
  '003-revocations',
  '004-dashboard-layouts',
  '005-audit-subjects',
  '006-locked-accounts',
  '007-key-sightings',
  '008-used-login-states',
  '009-write-probes',
  '010-audit-subject-filters',
];
const LAST = FORMER.at(-1);
/** Migrations of 0.1.0. */
export const CREATIONS = MIGRATION_NAMES.filter((name) => name <= '011-create-write-probes');

/**
 * Whether a database is of the last build before 0.1.0.
 * @param ran the names of its migrations
 * @throws DatabaseNotReady when it is of an earlier one, or another build has changed it since
 */
export async function isFormer(knex: Knex, ran: readonly string[]): Promise<boolean> {
  if (!ran.some((name) => FORMER.includes(name))) return false;
  const others = ran.filter((name) => !FORMER.includes(name));
  if (others.length > 0)
    throw new DatabaseNotReady(
      `The database is of a build before 0.1.0 and has migrations of another one: ${others.join(', ')}. Use an empty database.`,
    );
  if (!FORMER.every((name) => ran.includes(name)))
    throw new DatabaseNotReady(
      `The database is too old: it lacks the migration ${LAST}. ` +
        'Start a build that has this migration on it once, or use an empty database.',
    );
  if (await knex('audit_log').whereNull('subject').first('sequence'))
    throw new DatabaseNotReady(
      `The database has audit records whose subjects are not filled in yet. Run a build that has the migration ${LAST} on ` +
        'it until it logs "subjects of audit records are filled".',
    );
  return true;
}

/**
 * Takes over a database of the last build before 0.1.0 by replacing the names of its migrations; nothing else changes.
 * @returns the new names; empty for any other database
 * @throws DatabaseNotReady without changing anything when it cannot be taken over
 */
export async function takeOver(trx: Knex.Transaction): Promise<readonly string[]> {
  if (!(await isFormer(trx, await trx('knex_migrations').pluck('name')))) return [];
  await trx('knex_migrations').delete();
  const migration_time = new Date();
  await trx('knex_migrations').insert(CREATIONS.map((name) => ({ name, batch: 1, migration_time })));
  return CREATIONS;
}

/** What is done, as it is done. */
export interface Ran {
  taken: string[];
  applied: string[];
}

/**
 * Runs what is missing, in order, and records it as knex would; proves the lock before each migration, and again where it
 * is recorded. On SQLite a migration is one transaction; MySQL commits each change of a table by itself, so one that was
 * interrupted is run again.
 * @throws LockLost when another process has taken the lock over: nothing is run or recorded after that
 */
export async function runMigrations(database: Database, prove: Prove, ran: Ran): Promise<void> {
  const { client, knex, transaction } = database;
  const proved = <T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> =>
    transaction(async (trx) => {
      await prove(trx);
      return work(trx);
    });

  await persistently(() => proved(createKnexTables));
  ran.taken.push(...(await persistently(() => proved(takeOver))));
  const names = await persistently(() => namesOfRun(database));
  const batch = await persistently(() => nextBatch(knex));

  for (const migration of MIGRATIONS.filter(({ name }) => !names.includes(name))) {
    if (client === 'mysql')
      await persistently(async () => {
        await persistently(() => transaction(prove));
        await migration.up(knex);
      });
    await persistently(() =>
      proved(async (trx) => {
        if (client === 'sqlite') await migration.up(trx);
        await record(trx, migration, batch);
      }),
    );
    ran.applied.push(migration.name);
  }
}

async function record(trx: Knex.Transaction, { name }: NamedMigration, batch: number): Promise<void> {
  if ((await trx('knex_migrations').where({ name }).first('id')) !== undefined) return;
  await trx('knex_migrations').insert({ name, batch, migration_time: new Date() });
}

async function nextBatch(knex: Knex): Promise<number> {
  const { last } = (await knex('knex_migrations').max('batch as last').first()) as { last: number | null };
  return (last ?? 0) + 1;
}

/** As knex creates them: its command line and builds of 0.1.0 work on them. The row means that their lock is free. */
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
