import type { Knex } from 'knex';
import { createTable, insertFirstRow } from '../create-table.ts';

export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'audit_log',
    ({ exact, long, integer }) => [
      `sequence ${integer} not null primary key`,
      `key_id ${exact(16)} not null`,
      `previous_tag ${exact(64)} not null`,
      `tag ${exact(64)} not null`,
      `record ${long} not null`,
      // Of the record, for queries.
      `action ${exact(32)} not null`,
      `actor ${exact(255)} not null`,
      `recorded_at ${exact(24)} not null`,
    ],
    {
      audit_log_action: 'action, sequence',
      audit_log_actor: 'actor, sequence',
      audit_log_recorded_at: 'recorded_at, sequence',
    },
  );
  await createTable(knex, 'audit_head', ({ exact, integer }) => [
    `id ${integer} not null primary key`,
    `sequence ${integer} not null`,
    `tag ${exact(64)} not null`,
  ]);
  await insertFirstRow(knex, 'audit_head', { id: 1, sequence: 0, tag: '' });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('audit_head');
  await knex.schema.dropTableIfExists('audit_log');
}
