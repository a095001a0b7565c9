import type { SandboxDatabase } from '../sandbox-database.ts';

/** What somebody granted to a client at one sign-in. Claims stay as they were then. */
export interface Consent {
  id: string;
  subject: string;
  clientId: string;
  loginSessionId: string;
  scopes: string[];
  /** What id tokens and userinfo tell. */
  claims: Record<string, unknown>;
  acr: string;
  amr: string[];
  /** ISO 8601. */
  requestedAt: string;
  handledAt: string;
  /** The authorization request, in full. */
  requestUrl: string;
  loginChallenge: string;
}

export interface ConsentStore {
  insert(consent: Consent): void;
  find(id: string): Consent | undefined;
  /** At most `limit` consents behind `after`, by id, which follows no time. */
  page(subject: string, loginSessionId: string | undefined, after: string, limit: number): Consent[];
  /** Their tokens go with them. Both are idempotent. */
  remove(id: string): void;
  /** @param clientId undefined takes all */
  removeOfSubject(subject: string, clientId: string | undefined): void;
}

interface Row {
  document: string;
}

export function consentStore(database: SandboxDatabase): ConsentStore {
  const insert = database.prepare(
    'INSERT INTO consents (id, subject, client_id, session_id, document) VALUES (?, ?, ?, ?, ?)',
  );
  const byId = database.prepare<[string], Row>('SELECT document FROM consents WHERE id = ?');
  const page = database.prepare<object, Row>(
    `SELECT document FROM consents
     WHERE subject = @subject AND id > @after AND session_id = ifnull(@session, session_id) ORDER BY id LIMIT @limit`,
  );
  const remove = database.prepare('DELETE FROM consents WHERE id = ?');
  const removeOfSubject = database.prepare(
    'DELETE FROM consents WHERE subject = @subject AND client_id = ifnull(@client, client_id)',
  );
  return {
    insert: (consent) => {
      const { id, subject, clientId, loginSessionId } = consent;
      insert.run(id, subject, clientId, loginSessionId, JSON.stringify(consent));
    },
    find: (id) => {
      const row = byId.get(id);
      return row && (JSON.parse(row.document) as Consent);
    },
    page: (subject, loginSessionId, after, limit) =>
      page
        .all({ subject, session: loginSessionId ?? null, after, limit })
        .map(({ document }) => JSON.parse(document) as Consent),
    remove: (id) => {
      remove.run(id);
    },
    removeOfSubject: (subject, clientId) => {
      removeOfSubject.run({ subject, client: clientId ?? null });
    },
  };
}
