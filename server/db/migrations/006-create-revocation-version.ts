import { creationOf } from '../create-table.ts';

/** Numbers the changes of revoked sessions and of epochs in the order in which they are committed. */
export const createRevocationVersion = creationOf(
  'revocation_version',
  ({ integer }) => [`id ${integer} not null primary key`, `version ${integer} not null`],
  { firstRow: { id: 1, version: 0 } },
);
