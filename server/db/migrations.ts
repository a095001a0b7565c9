import type { Knex } from 'knex';
import { createSettings } from './migrations/001-create-settings.ts';
import { createAuditLog } from './migrations/002-create-audit-log.ts';
import { createAuditHead } from './migrations/003-create-audit-head.ts';
import { createRevokedSessions } from './migrations/004-create-revoked-sessions.ts';
import { createIdentityEpochs } from './migrations/005-create-identity-epochs.ts';
import { createRevocationVersion } from './migrations/006-create-revocation-version.ts';
import { createDashboardLayouts } from './migrations/007-create-dashboard-layouts.ts';
import { createLockedAccounts } from './migrations/008-create-locked-accounts.ts';
import { createKeySightings } from './migrations/009-create-key-sightings.ts';
import { createUsedLoginStates } from './migrations/010-create-used-login-states.ts';
import { createWriteProbes } from './migrations/011-create-write-probes.ts';
import { createLeases } from './migrations/012-create-leases.ts';
import { createDashboardViews } from './migrations/013-create-dashboard-views.ts';
import { createIndexFiles } from './migrations/014-create-index-files.ts';
import { createSettingVersions } from './migrations/015-create-setting-versions.ts';
import { createServiceChanges } from './migrations/016-create-service-changes.ts';
import { createSettingsVersion } from './migrations/017-create-settings-version.ts';

export type NamedMigration = Knex.Migration & { name: string };

/**
 * In the order they run. Names have no file extension: the list serves both the sources and the build. A migration only
 * adds, so that earlier releases work beside it; one that they cannot work with has the word `breaks` in its name.
 */
export const MIGRATIONS: readonly NamedMigration[] = [
  { name: '001-create-settings', ...createSettings },
  { name: '002-create-audit-log', ...createAuditLog },
  { name: '003-create-audit-head', ...createAuditHead },
  { name: '004-create-revoked-sessions', ...createRevokedSessions },
  { name: '005-create-identity-epochs', ...createIdentityEpochs },
  { name: '006-create-revocation-version', ...createRevocationVersion },
  { name: '007-create-dashboard-layouts', ...createDashboardLayouts },
  { name: '008-create-locked-accounts', ...createLockedAccounts },
  { name: '009-create-key-sightings', ...createKeySightings },
  { name: '010-create-used-login-states', ...createUsedLoginStates },
  { name: '011-create-write-probes', ...createWriteProbes },
  { name: '012-create-leases', ...createLeases },
  { name: '013-create-dashboard-views', ...createDashboardViews },
  { name: '014-create-index-files', ...createIndexFiles },
  { name: '015-create-setting-versions', ...createSettingVersions },
  { name: '016-create-service-changes', ...createServiceChanges },
  { name: '017-create-settings-version', ...createSettingsVersion },
];

export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name);

/** For knex' command line. */
export const KNEX_MIGRATIONS: Knex.MigratorConfig = {
  migrationSource: {
    getMigrations: async () => [...MIGRATIONS],
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => migration,
  } satisfies Knex.MigrationSource<NamedMigration>,
  // A database of a later release has migrations that this one does not know.
  disableMigrationsListValidation: true,
};
