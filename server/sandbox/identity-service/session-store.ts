import type { SandboxDatabase } from '../sandbox-database.ts';

export interface Device {
  id: string;
  ip_address: string | null;
  user_agent: string | null;
  location: string | null;
}

/** A session as it is stored: the service's answer but for the expanded identity. */
export interface SessionDocument {
  id: string;
  active: boolean;
  expires_at: string;
  authenticated_at: string;
  authenticator_assurance_level: string;
  authentication_methods: { method: string; aal: string; completed_at: string; provider?: string }[];
  issued_at: string;
  devices: Device[];
}

export interface StoredSession {
  document: SessionDocument;
  identityId: string;
  token: string;
}

export interface SessionStore {
  insert(session: StoredSession): void;
  find(id: string): StoredSession | undefined;
  findByToken(token: string): StoredSession | undefined;
}

interface Row {
  document: string;
  identity_id: string;
  token: string;
}

export function sessionStore(database: SandboxDatabase): SessionStore {
  const columns = 'SELECT document, identity_id, token FROM sessions';
  const byId = database.prepare<[string], Row>(`${columns} WHERE id = ?`);
  const byToken = database.prepare<[string], Row>(`${columns} WHERE token = ?`);
  const insert = database.prepare(
    'INSERT INTO sessions (id, token, identity_id, active, created_at, expires_at, document) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const stored = (row: Row | undefined): StoredSession | undefined =>
    row && { document: JSON.parse(row.document) as SessionDocument, identityId: row.identity_id, token: row.token };

  return {
    insert: ({ document, identityId, token }) => {
      const { id, active, issued_at, expires_at } = document;
      const times = [Date.parse(issued_at), Date.parse(expires_at)];
      insert.run(id, token, identityId, active ? 1 : 0, ...times, JSON.stringify(document));
    },
    find: (id) => stored(byId.get(id)),
    findByToken: (token) => stored(byToken.get(token)),
  };
}
