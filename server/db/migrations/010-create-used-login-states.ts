import { creationOf } from '../create-table.ts';

/** States of sign-ins that have ended, as their hashes, until nobody could use them any more. Times are seconds. */
export const createUsedLoginStates = creationOf(
  'used_login_states',
  ({ exact, integer }) => [`state ${exact(64)} not null primary key`, `expires_at ${integer} not null`],
  { indexes: { used_login_states_expires_at: 'expires_at' } },
);
