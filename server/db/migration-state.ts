import type { Database } from './database.ts';
import { MIGRATION_NAMES } from './migrations.ts';
import { DatabaseNotReady } from './not-ready.ts';

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
