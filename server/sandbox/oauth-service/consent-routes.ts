import { empty, json } from '../http/answer.ts';
import { type Route, route } from '../http/router.ts';
import { sealedPage } from '../paging/sealed-page.ts';
import type { SealedTokens } from '../paging/sealed-token.ts';
import type { ClientStore } from './client-store.ts';
import type { Consent, ConsentStore } from './consent-store.ts';
import { invalidRequest, unreadablePage } from './oauth-errors.ts';

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
