import { creationOf } from '../create-table.ts';

/** 255 characters of at most four bytes. */
const KEY_BYTES = 1020;

/** What settings were before a change, as stored; `version` is the number of the audit record of that change. */
export const createSettingVersions = creationOf(
  'setting_versions',
  ({ exact, long, integer }) => [
    `\`key\` ${exact(KEY_BYTES)} not null`,
    `version ${integer} not null`,
    `value ${long} not null`,
    `encrypted ${integer} not null`,
    `category ${exact(KEY_BYTES)}`,
    `actor ${exact(255)} not null`,
    `action ${exact(32)} not null`,
    `replaced_at ${exact(24)} not null`,
    'primary key (`key`, version)',
  ],
  { indexes: { setting_versions_replaced_at: 'replaced_at' } },
);
