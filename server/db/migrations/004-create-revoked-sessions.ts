import { creationOf } from '../create-table.ts';

export const createRevokedSessions = creationOf(
  'revoked_sessions',
  ({ exact, integer }) => [
    `session_id ${exact(255)} not null primary key`,
    `expires_at ${integer} not null`,
    `version ${integer} not null`,
  ],
  { indexes: { revoked_sessions_version: 'version', revoked_sessions_expires_at: 'expires_at' } },
);
