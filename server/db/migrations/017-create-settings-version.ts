import { creationOf } from '../create-table.ts';

/** Counts the transactions that changed settings. */
export const createSettingsVersion = creationOf(
  'settings_version',
  ({ integer }) => [`id ${integer} not null primary key`, `version ${integer} not null`],
  { firstRow: { id: 1, version: 0 } },
);
