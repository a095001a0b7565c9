import { appOfSuite } from '../support/app-in-dom.tsx';
import { indexReady } from '../support/index-ready.ts';

interface ListPage {
  path: string;
  /** In a row of it. */
  row: RegExp;
  request: RegExp;
  empty: unknown;
  says: RegExp;
  /** Where the service of the test has no rows. */
  rows?: unknown;
}

const PERSON = '/identities/ADMIN';
const NO_MORE = { next_page_token: null, has_more: false };
const AT = '2026-01-01T00:00:00Z';
const LOCK = { id: 'l1', identifier: 'ada@example.org', reason: 'wrong_password', attempts: 5, locked_at: AT };
const MESSAGE = {
  id: '11111111-1111-4111-8111-111111111111',
  status: 'sent',
  type: 'email',
  recipient: 'admin@example.com',
  template_type: 'recovery_code_valid',
  created_at: AT,
};
const CONSENT = {
  consent_request_id: 'c1',
  handled_at: AT,
  consent_request: { subject: 'ada', client: { client_id: 'app', client_name: 'App' } },
};
const PROVIDER = {
  key: 'social.google.client_id',
  value: 'x',
  encrypted: false,
  category: 'social',
  created_at: AT,
  updated_at: AT,
};

const LISTS: readonly ListPage[] = [
  {
    path: '/identities',
    row: /^\S+@example\./,
    request: /^\/api\/identities\/search/,
    empty: { identities: [], ...NO_MORE, total: 0, index: { complete: true, identities: 0, as_of: AT } },
    says: /^No identities yet/,
  },
  { path: `${PERSON}/sessions`, row: /Node\.js/, request: /\/sessions\?per_page/, empty: [], says: /^No sessions/ },
  {
    path: `${PERSON}/messages`,
    row: /^Recovery code/,
    request: /\/courier\/messages\?/,
    empty: [],
    says: /^No messages/,
    rows: [MESSAGE],
  },
  {
    path: `${PERSON}/consents`,
    row: /^App$/,
    request: /\/consent\?subject/,
    empty: [],
    says: /^No consents/,
    rows: [CONSENT],
  },
  {
    path: '/oauth/consents?subject=ada',
    row: /^App$/,
    request: /\/consent\?subject/,
    empty: [],
    says: /^No consents for this subject/,
    rows: [CONSENT],
  },
  { path: '/oauth/clients', row: /^Web shop/, request: /\/admin\/clients\?/, empty: [], says: /^No clients yet/ },
  { path: '/messages', row: /@example\./, request: /\/courier\/messages\?/, empty: [], says: /^No messages yet/ },
  { path: '/schemas', row: /^Customer/, request: /^\/api\/identity\/schemas$/, empty: [], says: /^No schemas/ },
  { path: '/sessions', row: /@example\./, request: /\/admin\/sessions\?/, empty: [], says: /^No sessions yet/ },
  {
    path: '/connections',
    row: /^Google/,
    request: /^\/api\/settings\?/,
    empty: { settings: [], ...NO_MORE },
    says: /^No social providers yet/,
    rows: { settings: [PROVIDER], ...NO_MORE },
  },
  {
    path: '/settings',
    row: /^mail\.from/,
    request: /^\/api\/settings\?/,
    empty: { settings: [], ...NO_MORE },
    says: /^No settings yet/,
  },
  {
    path: '/security/audit?changes=false',
    row: /signed in/,
    request: /^\/api\/security\/audit\?/,
    empty: { events: [], ...NO_MORE },
    says: /^No records yet/,
  },
  {
    path: '/security/locked-accounts',
    row: /^ada@example\.org/,
    request: /^\/api\/security\/locked-accounts/,
    empty: { data: [], total: 0, truncated: false },
    says: /^Nobody is locked out/,
    rows: { data: [LOCK], total: 1, truncated: false },
  },
  {
    path: '/security/operators',
    row: /^View activity/,
    request: /^\/api\/security\/operators$/,
    empty: { operators: [], truncated: false },
    says: /^No operators/,
  },
  {
    path: '/security',
    row: /^Administrators/,
    request: /^\/api\/security\/posture/,
    empty: { as_of: AT, checks: [] },
    says: /^No checks/,
  },
];

describe('a page with a list', () => {
  const suite = appOfSuite({ people: 12 });
  let admin: string;
  before(async () => {
    const { admin: session } = suite.sessions;
    await indexReady(suite.dashboard, session);
    const { user } = await (await suite.dashboard.call('/api/auth/session', { session })).json();
    admin = user.identityId;
    await suite.dashboard.call('/api/settings', { session, json: { key: 'mail.from', value: 'x' } });
  });

  for (const { path, row, request, empty, says, rows } of LISTS)
    it(`shows its rows, and says so where there are none: ${path}`, async () => {
      const open = (given: unknown, text: RegExp): Promise<void> =>
        suite.open(
          path.replace('ADMIN', admin),
          { respond: (asked) => (given !== undefined && request.test(asked.path) ? Response.json(given) : undefined) },
          // Not the operator's own address, above the page.
          async (app) => void (await app.shows(text, document.querySelector('main') ?? undefined)),
        );
      await open(rows, row);
      await open(empty, says);
    });
});
