import type { Knex } from 'knex';
import type { Database } from './database.ts';
import type { Prove } from './migration-lock.ts';
import { namesOfRun } from './migration-state.ts';
import { MIGRATIONS, type NamedMigration } from './migrations.ts';
import { persistently } from './persistently.ts';
import { takeOver } from './take-over.ts';

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
