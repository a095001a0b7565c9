import { empty, json, type Route, route } from '../http.ts';
import { type SealedTokens, sealedPage } from '../paging.ts';
import type { SandboxDatabase } from '../sandbox-database.ts';
import type { ClientStore } from './clients.ts';
import { invalidRequest, unreadablePage } from './oauth-errors.ts';

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

export interface ConsentRoutesOptions {
  consents: ConsentStore;
  clients: ClientStore;
  tokens: SealedTokens;
}

const CONSENTS = '/admin/oauth2/auth/sessions/consent';

/** Lists and revokes consents by subject. Unknown ids are 204, too. */
export function consentRoutes({ consents, clients, tokens }: ConsentRoutesOptions): Route[] {
  const refused = (problem: string) => invalidRequest(unreadablePage(problem));
  const list = { path: CONSENTS, defaultSize: 100, maxSize: 500, start: '', tokens, refused };
  return [
    route('GET', CONSENTS, ({ query }) => {
      const subject = query.get('subject');
      if (!subject) throw invalidRequest("Query parameter 'subject' is not defined but should have been.");
      const sessionId = query.get('login_session_id') || undefined;
      const { rows, headers } = sealedPage(
        query,
        list,
        (after, limit) => consents.page(subject, sessionId, after, limit),
        ({ id }) => id,
      );
      if (rows.length === 0) return json(200, []);
      const answers = rows.map((consent) => consentAnswer(consent, clients.find(consent.clientId)?.document));
      return json(200, answers, headers);
    }),
    route('DELETE', CONSENTS, ({ query }) => {
      const [subject, client, id] = ['subject', 'client', 'consent_request_id'].map((name) => query.get(name) ?? '');
      const all = query.get('all') === 'true';
      if (id && !subject && !client && !all) consents.remove(id);
      else if (subject && !id && all !== Boolean(client)) consents.removeOfSubject(subject, client || undefined);
      else throw invalidRequest('Invalid combination of query parameters.');
      return empty(204);
    }),
    // The sandbox has no single sign-on, so there is no login session to end; the response is Hydra's.
    route('DELETE', '/admin/oauth2/auth/sessions/login', ({ query }) => {
      if (!query.get('subject') && !query.get('sid'))
        throw invalidRequest("Either 'subject' or 'sid' query parameters need to be defined.");
      return empty(204);
    }),
  ];
}

const consentAnswer = (consent: Consent, client: unknown): Record<string, unknown> => ({
  consent_request_id: consent.id,
  grant_scope: consent.scopes,
  grant_access_token_audience: [],
  session: { access_token: {}, id_token: consent.claims },
  remember: false,
  remember_for: 0,
  handled_at: consent.handledAt,
  context: null,
  consent_request: {
    challenge: '',
    consent_request_id: consent.id,
    requested_scope: consent.scopes,
    requested_access_token_audience: [],
    skip: false,
    subject: consent.subject,
    oidc_context: {},
    client,
    request_url: consent.requestUrl,
    login_challenge: consent.loginChallenge,
    login_session_id: consent.loginSessionId,
    acr: consent.acr,
    amr: consent.amr,
    context: null,
  },
});
