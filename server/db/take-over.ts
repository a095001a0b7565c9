import type { Knex } from 'knex';
import { MIGRATION_NAMES } from './migrations.ts';

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
const CREATIONS = MIGRATION_NAMES.filter((name) => name <= '011-create-write-probes');

/**
 * Takes over a database of the last build before 0.1.0 by replacing the names of its migrations; nothing else changes.
 * @returns the new names; empty for any other database
 * @throws without changing anything when the database is too old; the message says what to do
 */
export async function takeOver(knex: Knex): Promise<readonly string[]> {
  if (!(await knex.schema.hasTable('knex_migrations'))) return [];
  const ran: string[] = await knex('knex_migrations').pluck('name');
  // Any other names are of this release, or of a later one, which knex refuses.
  if (ran.length === 0 || !ran.every((name) => FORMER.includes(name))) return [];
  if (!FORMER.every((name) => ran.includes(name)))
    throw new Error(
      `The database is too old: it lacks the migration ${LAST}. ` +
        'Start a build that has this migration on it once, or use an empty database.',
    );
  if (await knex('audit_log').whereNull('subject').first('sequence'))
    throw new Error(
      `The database has audit records whose subjects are not filled in yet. Run a build that has the migration ${LAST} on ` +
        'it until it logs "subjects of audit records are filled".',
    );
  await knex.transaction(async (trx) => {
    await trx('knex_migrations').delete();
    const migration_time = new Date();
    await trx('knex_migrations').insert(CREATIONS.map((name) => ({ name, batch: 1, migration_time })));
  });
  return CREATIONS;
}
