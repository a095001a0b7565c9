import type { Router } from 'express';
import { queryOf } from '../http.ts';
import { cursorPage } from '../paging.ts';
import { documentQuery, type SandboxDatabase } from '../sandbox-database.ts';
import type { ClientStore } from './clients.ts';
import { invalidRequest, unreadablePage } from './oauth-errors.ts';

/** What a person granted to a client at a sign-in, with their claims at that time. */
export interface Consent {
  id: string;
  subject: string;
  clientId: string;
  loginSessionId: string;
  scopes: string[];
  claims: Record<string, unknown>;
  acr: string;
  amr: string[];
  requestedAt: string;
  handledAt: string;
  requestUrl: string;
  loginChallenge: string;
}

export function consentStore(database: SandboxDatabase) {
  const insert = database.prepare(
    'INSERT INTO consents (id, subject, client_id, session_id, document) VALUES (?, ?, ?, ?, ?)',
  );
  const byId = documentQuery<Consent>(database, 'SELECT document FROM consents WHERE id = ?');
  const page = documentQuery<Consent>(
    database,
    'SELECT document FROM consents WHERE subject = @subject AND id > @after ORDER BY id LIMIT @limit',
  );
  const remove = database.prepare('DELETE FROM consents WHERE id = ?');
  const removeOfSubject = database.prepare(
    'DELETE FROM consents WHERE subject = @subject AND client_id = ifnull(@client, client_id)',
  );
  return {
    insert: (consent: Consent): void => {
      const { id, subject, clientId, loginSessionId } = consent;
      insert.run(id, subject, clientId, loginSessionId, JSON.stringify(consent));
    },
    find: (id: string) => byId.get(id),
    /** At most `limit` consents after `after`, by id; ids are not chronological. */
    page: (subject: string, after: string, limit: number) => page.all({ subject, after, limit }),
    /** Also deletes its tokens, and is idempotent. */
    remove: (id: string): void => {
      remove.run(id);
    },
    /** Like `remove`. @param client undefined: all clients */
    removeOfSubject: (subject: string, client: string | undefined): void => {
      removeOfSubject.run({ subject, client: client ?? null });
    },
  };
}

const CONSENTS = '/oauth2/auth/sessions/consent';

/** Lists and revokes consents by subject. Unknown ids get 204 as well. */
export function addConsentRoutes(
  router: Router,
  consents: ReturnType<typeof consentStore>,
  clients: ClientStore,
): void {
  const refused = (problem: string) => invalidRequest(unreadablePage(problem));
  const list = { path: `/admin${CONSENTS}`, defaultSize: 100, maxSize: 500, start: '', refused };
  router.get(CONSENTS, (req, res) => {
    const query = queryOf(req);
    const subject = query.get('subject');
    if (!subject) throw invalidRequest("Query parameter 'subject' is not defined but should have been.");
    const rowsAfter = (after: string, limit: number) => consents.page(subject, after, limit);
    const { rows, link } = cursorPage(query, list, rowsAfter, ({ id }) => id);
    if (rows.length > 0) res.set('Link', link);
    res.json(rows.map((consent) => consentBody(consent, clients.find(consent.clientId)?.document)));
  });
  router.delete(CONSENTS, (req, res) => {
    const query = queryOf(req);
    const [subject, client, id] = ['subject', 'client', 'consent_request_id'].map((name) => query.get(name) ?? '');
    const all = query.get('all') === 'true';
    if (id && !subject && !client && !all) consents.remove(id);
    else if (subject && !id && all !== Boolean(client)) consents.removeOfSubject(subject, client || undefined);
    else throw invalidRequest('Invalid combination of query parameters.');
    res.status(204).end();
  });
  // The sandbox has no single sign-on, so there is no login session to end; the response is Hydra's.
  router.delete('/oauth2/auth/sessions/login', (req, res) => {
    const query = queryOf(req);
    if (!query.get('subject') && !query.get('sid'))
      throw invalidRequest("Either 'subject' or 'sid' query parameters need to be defined.");
    res.status(204).end();
  });
}

const consentBody = (consent: Consent, client: unknown): Record<string, unknown> => ({
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
