import type { Knex } from 'knex';
import { MIGRATION_NAMES } from './migrations.ts';

/** Of the builds before 0.1.0; after the last of them the tables are those of 0.1.0. */
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
/** Of 0.1.0. */
const CREATIONS = MIGRATION_NAMES.filter((name) => name <= '011-create-write-probes');

/**
 * Takes over a database of the last build before 0.1.0: the names of its migrations are exchanged, and nothing else.
 * @returns the names it has now, none when it was no such database
 * @throws before anything is changed, for one that lacks something; the message says what to do
 */
export async function takeOver(knex: Knex): Promise<readonly string[]> {
  if (!(await knex.schema.hasTable('knex_migrations'))) return [];
  const ran: string[] = await knex('knex_migrations').pluck('name');
  // Others are those of this release, or of a later one, which knex refuses.
  if (ran.length === 0 || !ran.every((name) => FORMER.includes(name))) return [];
  if (!FORMER.every((name) => ran.includes(name)))
    throw new Error(
      `The database is older than the oldest that this release takes over: it lacks the migration ${LAST}. ` +
        'Start a build that has it once on this database, or use an empty database.',
    );
  if (await knex('audit_log').whereNull('subject').first('sequence'))
    throw new Error(
      `The database has audit records without their subjects. Let a build that has the migration ${LAST} run on it ` +
        'until it logs "subjects of audit records are filled".',
    );
  await knex.transaction(async (trx) => {
    await trx('knex_migrations').delete();
    const migration_time = new Date();
    await trx('knex_migrations').insert(CREATIONS.map((name) => ({ name, batch: 1, migration_time })));
  });
  return CREATIONS;
}
