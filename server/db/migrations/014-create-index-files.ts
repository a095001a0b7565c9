import { creationOf } from '../create-table.ts';

/**
 * Where processes kept the index of identities, so that a file is removed when it is kept there no longer. Of the replicas on
 * one machine each has its port. `used_at` is in seconds.
 */
export const createIndexFiles = creationOf('index_files', ({ exact, integer }) => [
  `path ${exact(1024)} not null primary key`,
  `port ${integer} not null`,
  `used_at ${integer} not null`,
]);
