import type { Knex } from 'knex';
import { createTable } from '../create-table.ts';

/** States of sign-ins that have ended, as their hashes, until nobody could use them any more. Times are seconds. */
export const up = (knex: Knex): Promise<void> =>
  createTable(
    knex,
    'used_login_states',
    ({ exact, integer }) => [`state ${exact(64)} not null primary key`, `expires_at ${integer} not null`],
    { used_login_states_expires_at: 'expires_at' },
  );

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('used_login_states');
}
