import type { Knex } from 'knex';
import { MIGRATION_NAMES } from './migrations.ts';
import { DatabaseNotReady } from './not-ready.ts';

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
