import type { Knex } from 'knex';

/**
 * Has every process read its settings again (`CachedSettings.follow`). Belongs into each transaction that changes
 * settings, and these hold the audit trail's lock, so that they do not wait for one another here.
 */
export async function raiseSettingsVersion(trx: Knex.Transaction): Promise<void> {
  await trx('settings_version').where({ id: 1 }).increment('version');
}
