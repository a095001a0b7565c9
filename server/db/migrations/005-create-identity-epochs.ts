import { creationOf } from '../create-table.ts';

export const createIdentityEpochs = creationOf(
  'identity_epochs',
  ({ exact, integer }) => [
    `identity_id ${exact(255)} not null primary key`,
    `epoch ${integer} not null`,
    `version ${integer} not null`,
  ],
  { indexes: { identity_epochs_version: 'version' } },
);
