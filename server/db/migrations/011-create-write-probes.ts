import { creationOf } from '../create-table.ts';

/** What processes write to find out whether anything can be written. Times are seconds. */
export const createWriteProbes = creationOf('write_probes', ({ exact, integer }) => [
  `id ${exact(64)} not null primary key`,
  `written_at ${integer} not null`,
]);
