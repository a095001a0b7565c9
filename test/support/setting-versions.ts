import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import type { SettingsVault } from '../../server/settings/vault.ts';
import type { SettingVersion } from '../../shared/settings.ts';

/** What the database holds of earlier versions, readers aside. */
export const rawVersions = (database: Database) => database.knex('setting_versions').orderBy(['key', 'version']);

/** The latest of a setting. */
export const lastVersion = async ({ history }: SettingsVault, key: string): Promise<SettingVersion> =>
  (await history.versions(key))[0] ?? assert.fail(`no version of ${key}`);
