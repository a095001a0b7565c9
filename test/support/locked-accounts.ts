import createKnex from 'knex';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { knexOptions } from '../../server/db/knex.ts';
import type { Dashboard } from './dashboard.ts';

/** Locks accounts as the platform's login page would have done a minute ago. */
export async function lockAccounts({ env }: Dashboard, identifiers: readonly string[]): Promise<void> {
  const knex = createKnex(knexOptions(parseDatabaseUrl(env.DATABASE_URL ?? ''), { warn: () => {} }));
  const rows = identifiers.map((identifier) => ({
    identifier,
    reason: 'wrong_password',
    attempts: 5,
    trigger_ip: '203.0.113.9',
    locked_at: new Date(Date.now() - 60_000).toISOString(),
    locked_until: new Date(Date.now() + 800_000).toISOString(),
  }));
  await knex('locked_accounts').insert(rows).onConflict('identifier').ignore();
  await knex.destroy();
}
