import type { Knex } from 'knex';
import { createTable } from '../create-table.ts';

export const up = (knex: Knex): Promise<void> =>
  createTable(knex, 'dashboard_layouts', ({ exact, long }) => [
    `identity_id ${exact(255)} not null primary key`,
    `layout ${long} not null`,
    `updated_at ${exact(24)} not null`,
  ]);

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('dashboard_layouts');
}
