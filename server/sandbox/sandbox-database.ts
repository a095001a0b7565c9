import { generateKeyPairSync, type JsonWebKey, randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';

/** The secrets of one installation, which are generated once and stored with the data they protect. */
export function sandboxSecrets(database: SandboxDatabase) {
  const read = database.prepare<[string], { value: string }>('SELECT value FROM installation WHERE name = ?');
  const write = database.prepare('INSERT INTO installation (name, value) VALUES (?, ?)');
  const once = (name: string, make: () => string): string => {
    const stored = read.get(name);
    if (stored !== undefined) return stored.value;
    const made = make();
    write.run(name, made);
    return made;
  };
  return {
    /** The RSA key that signs id tokens. */
    signingKey: JSON.parse(once('signing-key', newSigningKey)) as JsonWebKey & { kid?: string },
    cookieSecret: once('cookie-secret', () => randomBytes(32).toString('base64url')),
  };
}

/** A private JWK, as JSON. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return JSON.stringify({
    ...privateKey.export({ format: 'jwk' }),
    use: 'sig',
    alg: 'RS256',
    kid: randomUUID(),
  });
}

export interface SandboxDatabase extends Sqlite.Database {}

/** A query for documents, which are stored as JSON. */
export function documentQuery<Document>(database: SandboxDatabase, sql: string) {
  const query = database.prepare<unknown[], string>(sql).pluck();
  const parsed = (text: unknown) => JSON.parse(String(text)) as Document;
  return {
    get: (...values: unknown[]) => query.all(...values).map(parsed)[0],
    all: (...values: unknown[]) => query.all(...values).map(parsed),
  };
}

/**
 * Documents as the services return them, plus columns for searches, order and uniqueness. Deleting a consent deletes
 * its tokens; deleting a client deletes its consents and tokens.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS installation (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS identities (id TEXT PRIMARY KEY, external_id TEXT UNIQUE, document TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS identifiers (
    kind TEXT NOT NULL, value TEXT NOT NULL,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    PRIMARY KEY (kind, value)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS identifiers_of_identity ON identifiers (identity_id);
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE,
    identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
    active INTEGER NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, document TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS sessions_newest ON sessions (created_at DESC, id, active, expires_at);
  CREATE INDEX IF NOT EXISTS sessions_of_identity ON sessions (identity_id, created_at DESC, id);
  CREATE TABLE IF NOT EXISTS openid (
    model TEXT NOT NULL, id TEXT NOT NULL, grant_id TEXT, uid TEXT, payload TEXT NOT NULL, expires_at INTEGER,
    PRIMARY KEY (model, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS openid_grants ON openid (grant_id);
  CREATE INDEX IF NOT EXISTS openid_expiry ON openid (expires_at);
  CREATE TABLE IF NOT EXISTS flows (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, document TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS messages (
    sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, recipient TEXT NOT NULL, document TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS clients (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, secret_hash TEXT, document TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS consents (
    id TEXT PRIMARY KEY, subject TEXT NOT NULL,
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL, document TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS consents_of_subject ON consents (subject, id);
  CREATE INDEX IF NOT EXISTS consents_of_client ON consents (client_id);
  CREATE TABLE IF NOT EXISTS tokens (
    value TEXT PRIMARY KEY, use TEXT NOT NULL,
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    consent_id TEXT REFERENCES consents (id) ON DELETE CASCADE,
    scope TEXT NOT NULL, issued_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS tokens_of_client ON tokens (client_id);
  CREATE INDEX IF NOT EXISTS tokens_of_consent ON tokens (consent_id);
`;

export function openSandboxDatabase(file: string): SandboxDatabase {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new Sqlite(file);
  chmodSync(file, 0o600);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.pragma('foreign_keys = ON');
  // Random ids touch every page of an index. With a 64 MiB cache, many thousands of identities are inserted within
  // seconds.
  database.pragma('cache_size = -65536');
  database.exec(TABLES);
  return database;
}
