import type { Knex } from 'knex';
import { createTable } from '../create-table.ts';

/** What processes write to find out whether anything can be written. Times are seconds. */
export const up = (knex: Knex): Promise<void> =>
  createTable(knex, 'write_probes', ({ exact, integer }) => [
    `id ${exact(64)} not null primary key`,
    `written_at ${integer} not null`,
  ]);

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('write_probes');
}
