import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Deployment } from '../../shared/deployment.ts';

export type SandboxDatabase = Database.Database;

/** Documents as the services answer them, beside them only what is searched, ordered or unique. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS installation (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS identities (id TEXT PRIMARY KEY, external_id TEXT UNIQUE, document TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS identifiers (
    kind TEXT NOT NULL, value TEXT NOT NULL,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    PRIMARY KEY (kind, value)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS identifiers_of_identity ON identifiers (identity_id);
  CREATE INDEX IF NOT EXISTS identifiers_by_value ON identifiers (value, identity_id);
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    active INTEGER NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, document TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS sessions_newest ON sessions (created_at DESC, id);
  CREATE INDEX IF NOT EXISTS sessions_of_identity ON sessions (identity_id, created_at DESC, id);
  CREATE TABLE IF NOT EXISTS openid (
    model TEXT NOT NULL, id TEXT NOT NULL, grant_id TEXT, uid TEXT, payload TEXT NOT NULL, expires_at INTEGER,
    PRIMARY KEY (model, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS openid_grants ON openid (grant_id);
  CREATE INDEX IF NOT EXISTS openid_expiry ON openid (expires_at);
`;

/** The one file that holds a deployment's sandbox; deleting it starts over. */
export const sandboxFile = (dataDirectory: string, deployment: Deployment): string =>
  join(dataDirectory, `sandbox-${deployment}.sqlite`);

/** Forgets everything the sandbox of that deployment holds; it must not be running. */
export function resetSandbox(dataDirectory: string, deployment: Deployment): void {
  const file = sandboxFile(dataDirectory, deployment);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}

export function openSandboxDatabase(file: string): SandboxDatabase {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new Database(file);
  chmodSync(file, 0o600);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('foreign_keys = ON');
  database.exec(TABLES);
  return database;
}
