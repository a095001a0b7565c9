import type { Knex } from 'knex';
import { createTable, insertFirstRow } from '../create-table.ts';

export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'revoked_sessions',
    ({ exact, integer }) => [
      `session_id ${exact(255)} not null primary key`,
      `expires_at ${integer} not null`,
      `version ${integer} not null`,
    ],
    { revoked_sessions_version: 'version', revoked_sessions_expires_at: 'expires_at' },
  );
  await createTable(
    knex,
    'identity_epochs',
    ({ exact, integer }) => [
      `identity_id ${exact(255)} not null primary key`,
      `epoch ${integer} not null`,
      `version ${integer} not null`,
    ],
    { identity_epochs_version: 'version' },
  );
  // Numbers the changes of both tables in the order in which they are committed.
  await createTable(knex, 'revocation_version', ({ integer }) => [
    `id ${integer} not null primary key`,
    `version ${integer} not null`,
  ]);
  await insertFirstRow(knex, 'revocation_version', { id: 1, version: 0 });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['revocation_version', 'identity_epochs', 'revoked_sessions'])
    await knex.schema.dropTableIfExists(table);
}
