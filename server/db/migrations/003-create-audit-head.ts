import { creationOf } from '../create-table.ts';

export const createAuditHead = creationOf(
  'audit_head',
  ({ exact, integer }) => [
    `id ${integer} not null primary key`,
    `sequence ${integer} not null`,
    `tag ${exact(64)} not null`,
  ],
  { firstRow: { id: 1, sequence: 0, tag: '' } },
);
