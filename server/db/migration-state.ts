import type { Database } from './database.ts';
import { MIGRATION_NAMES } from './migrations.ts';

/** Names of the pending migrations, and of applied ones that this release does not know. */
export interface MigrationState {
  missing: string[];
  foreign: string[];
}

export async function migrationState(database: Database): Promise<MigrationState> {
  const rows: { name: string }[] = await database.knex('knex_migrations').select('name').timeout(3_000);
  const ran = rows.map(({ name }) => name);
  return {
    missing: MIGRATION_NAMES.filter((name) => !ran.includes(name)),
    foreign: ran.filter((name) => !MIGRATION_NAMES.includes(name)),
  };
}
