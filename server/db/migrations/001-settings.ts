import type { Knex } from 'knex';
import { createTable } from '../create-table.ts';

/** 255 characters of at most four bytes. */
const KEY_BYTES = 1020;

export const up = (knex: Knex): Promise<void> =>
  createTable(
    knex,
    'settings',
    ({ exact, long, integer }) => [
      `\`key\` ${exact(KEY_BYTES)} not null primary key`,
      `value ${long} not null`,
      `encrypted ${integer} not null`,
      `category ${exact(KEY_BYTES)}`,
      `updated_at ${exact(24)} not null`,
    ],
    { settings_category: 'category, `key`' },
  );

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('settings');
}
