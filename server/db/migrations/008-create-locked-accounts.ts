import { creationOf } from '../create-table.ts';

/**
 * Written by the platform's login page, which may `SELECT, INSERT, UPDATE` here and nothing else. It cannot remove what
 * has ended, so the index leads past those rows.
 */
export const createLockedAccounts = creationOf(
  'locked_accounts',
  ({ exact, integer }) => [
    `identifier ${exact(1020)} not null primary key`,
    `reason ${exact(64)} not null`,
    `attempts ${integer} not null`,
    `trigger_ip ${exact(45)}`,
    `locked_at ${exact(24)} not null`,
    `locked_until ${exact(24)}`,
  ],
  { indexes: { locked_accounts_until: 'locked_until, locked_at' } },
);
