import type { Knex } from 'knex';
import * as settings from './migrations/001-settings.ts';
import * as auditLog from './migrations/002-audit-log.ts';
import * as revocations from './migrations/003-revocations.ts';
import * as dashboardLayouts from './migrations/004-dashboard-layouts.ts';
import * as auditSubjects from './migrations/005-audit-subjects.ts';
import * as lockedAccounts from './migrations/006-locked-accounts.ts';
import * as keySightings from './migrations/007-key-sightings.ts';
import * as usedLoginStates from './migrations/008-used-login-states.ts';
import * as writeProbes from './migrations/009-write-probes.ts';
import * as auditSubjectFilters from './migrations/010-audit-subject-filters.ts';

/** In the order they run. Names carry no file extension: the same list serves the sources and the built files. */
const LIST: readonly (Knex.Migration & { name: string })[] = [
  { name: '001-settings', ...settings },
  { name: '002-audit-log', ...auditLog },
  { name: '003-revocations', ...revocations },
  { name: '004-dashboard-layouts', ...dashboardLayouts },
  { name: '005-audit-subjects', ...auditSubjects },
  { name: '006-locked-accounts', ...lockedAccounts },
  { name: '007-key-sightings', ...keySightings },
  { name: '008-used-login-states', ...usedLoginStates },
  { name: '009-write-probes', ...writeProbes },
  { name: '010-audit-subject-filters', ...auditSubjectFilters },
];

export const MIGRATION_NAMES: readonly string[] = LIST.map(({ name }) => name);

const source: Knex.MigrationSource<Knex.Migration & { name: string }> = {
  getMigrations: async () => [...LIST],
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => migration,
};

export const MIGRATIONS: Knex.MigratorConfig = { migrationSource: source };
