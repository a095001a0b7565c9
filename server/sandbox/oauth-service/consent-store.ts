import type { SandboxDatabase } from '../sandbox-database.ts';

/** What a person granted to a client at one sign-in, with the claims of that time. */
export interface Consent {
  id: string;
  subject: string;
  clientId: string;
  loginSessionId: string;
  scopes: string[];
  /** The claims of id tokens and userinfo. */
  claims: Record<string, unknown>;
  acr: string;
  amr: string[];
  /** ISO 8601. */
  requestedAt: string;
  handledAt: string;
  /** The complete authorization request. */
  requestUrl: string;
  loginChallenge: string;
}

export interface ConsentStore {
  insert(consent: Consent): void;
  find(id: string): Consent | undefined;
  /** At most `limit` consents after `after`, by id; ids are not chronological. */
  page(subject: string, loginSessionId: string | undefined, after: string, limit: number): Consent[];
  /** Also deletes their tokens. Both are idempotent. */
  remove(id: string): void;
  /** @param clientId undefined: all clients */
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
