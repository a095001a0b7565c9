import assert from 'node:assert/strict';
import { waitFor } from '@testing-library/dom';
import type { Role } from '../../shared/capabilities.ts';
import type { SignInCoverage, SignInEvent, SignInPage, SignInSummary } from '../../shared/sign-ins.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';

const PATH = '/api/security/sign-ins';
const ADA = '9e0b3c5c-6a1d-4a52-9d7e-6c6c1d5d1a10';
const nobody = { identity_id: null, session_id: null, client_id: null, method: 'password', provider: null };
const place = { reason: null, ip: '203.0.113.7', country: 'NO', place: 'Oslo, Norway', device: 'Chrome on macOS' };
/** An event so many minutes after ten. */
const event = (minute: number, of: Partial<SignInEvent>): SignInEvent => ({
  ...{ id: `e${minute}`, at: `2026-01-31T10:${minute}:00.000Z`, event: 'LoginFailed', service: 'kratos', count: 1 },
  ...nobody,
  ...place,
  ...of,
});
const EVENTS = [
  event(50, { event: 'LoginSucceeded', identity_id: ADA }),
  event(40, { identity_id: ADA, reason: 'invalid_credentials' }),
  event(20, { reason: 'invalid_credentials', count: 340 }),
  event(10, { event: 'OAuth2TokenExchangeError', client_id: 'web-shop', reason: 'invalid_grant', method: null }),
];
const [since, to] = ['2026-01-30T00:00:00.000Z', '2026-01-31T10:30:00.000Z'];
const COVERAGE: SignInCoverage = {
  ...{ since, sign_ins_since: since, kept_days: 30 },
  sources: [{ service: 'kratos', api: 'identity', since, last_at: to, last_event_at: to, unfiltered: true }],
  gaps: [
    { cause: 'not_listening', detail: '', from: '2026-01-31T11:00:00.000Z', to: '2026-01-31T11:10:00.000Z', count: 0 },
    { cause: 'silent', detail: 'kratos', from: '2026-01-31T10:25:00.000Z', to, count: 0 },
    { cause: 'refused', detail: 'key', from: '2026-01-30T10:00:00.000Z', to: '2026-01-30T11:00:00.000Z', count: 7 },
  ],
};
const SUMMARY: SignInSummary = {
  succeeded: [{ day: '2026-01-30', count: 41 }],
  failed: [{ day: '2026-01-30', count: 9 }],
  sign_in_addresses: [{ ip: '203.0.113.7', count: 340 }],
  token_addresses: [],
};

/** @param page responds to a request for a page @param summary of the sign-ins by day */
const respondWith =
  (page: (query: URLSearchParams) => Partial<SignInPage>, summary: Partial<SignInSummary> = {}): App['respond'] =>
  ({ path }) => {
    const [route = '', query] = path.split('?');
    if (route === '/api/security/subject-names')
      return Response.json({ names: [{ subject: `identity:${ADA}`, name: 'Ada Byron' }] });
    if (route === `${PATH}/coverage`) return Response.json(COVERAGE);
    if (route === `${PATH}/summary`) return Response.json({ ...SUMMARY, ...summary });
    if (route !== PATH) return undefined;
    return Response.json({ has_more: false, next_page_token: null, events: [], ...page(new URLSearchParams(query)) });
  };
const afterEmptyPages = respondWith((query) => {
  const page = Number(query.get('page_token') ?? 1);
  return page === 4 ? { events: EVENTS } : { has_more: true, next_page_token: String(page + 1) };
});
const rows = (): string[] =>
  [...document.querySelectorAll('tbody tr')].map((row) =>
    [...row.querySelectorAll('td:not([data-choose])')].map(({ textContent }) => textContent).join('|'),
  );

describe('the sign-in log', () => {
  const suite = appOfSuite({ env: { EXTRA_ROLES: 'support,auditor' } });
  const onLog = (
    work: (app: App) => Promise<void>,
    respond = respondWith(() => ({ events: EVENTS })),
    search = '',
    role: Role = 'admin',
  ) => suite.open(`/security/sign-ins${search}`, { heading: 'Sign-ins', hasSignInLog: true, respond, role }, work);
  const queries = (app: App): string[] =>
    app.requests.flatMap(({ path }) => (path.startsWith(`${PATH}?`) ? path.slice(PATH.length) : []));

  it('lists what happened, to whom, and from where as reported, with gaps as lines', () =>
    onLog(async (app) => {
      await app.shows('Ada Byron');
      await app.shows(/^kratos sent nothing/);
      assert.equal((await app.screen.findAllByTitle('Chrome on macOS')).length, EVENTS.length);
      const from = '203.0.113.7 · Oslo, Norway|Chrome on macOS|kratos';
      const lines = rows().map((row) => row.replace(/\|[^|]*$|( from).*$/, '$1'));
      assert.deepEqual(lines, [
        'The dashboard was not listening from',
        `Signed in|Ada Byron|Password|${from}`,
        `Wrong password|Ada Byron|Password|${from}`,
        'kratos sent nothing from',
        `Wrong identifier or credentials, 340 times|unknown|Password|${from}`,
        `Token refused: invalid code or refresh token|web-shop||${from}`,
      ]);
    }));

  it('says since when, what may be missing, and from where nobody was named, which filters the list', () =>
    onLog(async (app) => {
      await app.user.click(await app.shows(/^Since 30 Jan 2026, last entry .* ago, 3 gaps$/));
      await app.shows(/^7 requests were refused from .*: wrong key\.$/);
      await app.screen.findByRole('img', { name: /^41 sign-ins succeeded and 9 failed since 30 Jan 2026\. Some may/ });
      await app.user.click(await app.shows('340 attempts'));
      await waitFor(() => assert.match(app.address(), /\?outcome=failed&ip=203\.0\.113\.7$/));
      assert.equal(document.querySelector('details')?.open, false);
    }));

  it('goes on after empty pages, as long as there are more', () =>
    onLog(
      async (app) => {
        for (const page of [2, 3, 4]) {
          await app.press('Next page');
          await app.shows(new RegExp(`^Page ${page}, `));
        }
        await app.shows('Signed in');
      },
      afterEmptyPages,
      '?outcome=failed',
    ));

  it('is exported, as far as it matches, by an auditor', () =>
    onLog(
      async (app) => {
        await app.press('Export…');
        await app.user.click(await app.screen.findByText('Export matching entries as CSV'));
        await app.shows(/^4 entries were exported/);
        const [header, first, ...others] = (await app.savedFiles[0]?.content.text())?.split('\r\n') ?? [];
        assert.match(header ?? '', /^at,event,service,identity_id,.*,in words$/);
        assert.match(first ?? '', /^2026-01-31T10:50:00\.000Z,LoginSucceeded,kratos,.*,"Oslo, Norway",.*,1,Signed in$/);
        assert.equal(others.length, EVENTS.length);
      },
      afterEmptyPages,
      '?outcome=failed',
      'auditor',
    ));

  it('searches for an address on Enter, and says that this leaves a record', () =>
    onLog(async (app) => {
      await app.press('+ Address');
      await app.shows(/audit trail records each search/);
      await app.user.keyboard('203.0.113.9{Enter}');
      await waitFor(() => assert.match(queries(app).at(-1) ?? '', /&ip=203\.0\.113\.9$/));
    }));

  it('sends the other filters, with the time that a period means now', () =>
    onLog(
      async (app) => {
        await app.shows('Outcome: Failed');
        await app.shows('When: Last hour');
        await app.press('+ Method');
        await app.user.click(await app.screen.findByRole('option', { name: 'One-time code' }));
        await waitFor(() => assert.match(queries(app).at(-1) ?? '', /outcome=failed&.*method=code&from=2\d+-[^&]*Z$/));
      },
      undefined,
      '?outcome=failed&from=1h',
    ));

  it('says how to turn it on where it is off, without a request', () =>
    suite.open('/security/sign-ins', { heading: 'Sign-ins' }, async (app) => {
      await app.shows(/^Set EVENTS_PORT/);
      assert.deepEqual(
        app.requests.filter(({ path }) => path.startsWith(PATH)),
        [],
      );
    }));

  for (const [what, summary, name] of [
    ['its numbers', {}, /^41 sign-ins succeeded and 9 failed since 30 Jan 2026/],
    ['sessions while it is empty', { succeeded: [], failed: [] }, /sessions? started/],
  ] as const)
    it(`gives the overview ${what}`, () =>
      suite.open(
        '/dashboard',
        { heading: 'Overview', hasSignInLog: true, respond: respondWith(() => ({}), summary as never) },
        async (app) => {
          await app.screen.findByRole('heading', { level: 2, name: 'Sign-ins' });
          await app.screen.findByRole('img', { name });
        },
      ));
});
