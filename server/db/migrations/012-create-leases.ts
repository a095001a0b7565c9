import { creationOf } from '../create-table.ts';

/** Who of several processes does what only one may do at a time. Times are seconds of the database's clock. */
export const createLeases = creationOf('leases', ({ exact, integer }) => [
  `name ${exact(64)} not null primary key`,
  `holder ${exact(64)} not null`,
  `expires_at ${integer} not null`,
]);
