import { creationOf } from '../create-table.ts';

/** 255 characters of at most four bytes. */
const KEY_BYTES = 1020;

export const createSettings = creationOf(
  'settings',
  ({ exact, long, integer }) => [
    `\`key\` ${exact(KEY_BYTES)} not null primary key`,
    `value ${long} not null`,
    `encrypted ${integer} not null`,
    `category ${exact(KEY_BYTES)}`,
    `updated_at ${exact(24)} not null`,
  ],
  { indexes: { settings_category: 'category, `key`' } },
);
