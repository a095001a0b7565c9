import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { needsChromium } from '../support/browser.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { type FaultingUpstream, startFaultingUpstream } from '../support/faulting-upstream.ts';
import { listedPage, listedSession } from '../support/listed-pages.ts';
import { hasRead, onOverview } from '../support/overview-visit.ts';

/** Times around the hours that zones skip and repeat, and around the year's end; figures counted by hand. */
const CASES = [
  {
    what: 'when Berlin’s clocks went forward',
    timeZone: 'Europe/Berlin',
    now: '2026-03-30T10:00:00Z',
    signIns: [
      '2026-03-28T22:30:00Z', // Saturday, 23:30
      '2026-03-28T23:30:00Z', // Sunday, 00:30
      '2026-03-29T00:30:00Z', // 01:30
      '2026-03-29T01:30:00Z', // 03:30, half an hour after 01:59
      '2026-03-29T21:59:00Z', // 23:59
      '2026-03-29T22:00:00Z', // Monday, 00:00
    ],
    days: ['Mon 30 Mar1', 'Sun 29 Mar4', 'Sat 28 Mar1'],
    hours: { 0: 2, 1: 1, 3: 1, 23: 2 },
    sentence: '6 sign-ins in the last 3 days, 2 a day; most on Sun 29 Mar (4).',
  },
  {
    what: 'when Berlin’s clocks went back',
    timeZone: 'Europe/Berlin',
    now: '2025-10-27T09:00:00Z',
    signIns: [
      '2025-10-25T21:59:00Z', // Saturday, 23:59
      '2025-10-26T00:30:00Z', // Sunday, 02:30 for the first time
      '2025-10-26T01:30:00Z', // 02:30 for the second time
      '2025-10-26T22:59:00Z', // 23:59, 25 hours after the first
    ],
    days: ['Mon 27 Oct0', 'Sun 26 Oct3', 'Sat 25 Oct1'],
    hours: { 2: 2, 23: 2 },
    sentence: '4 sign-ins in the last 3 days, 1 a day; most on Sun 26 Oct (3).',
  },
  {
    what: 'over the year’s end in Tokyo',
    timeZone: 'Asia/Tokyo',
    now: '2026-01-01T12:00:00Z',
    signIns: [
      '2025-12-30T15:00:00Z', // Wednesday, 00:00
      '2025-12-31T14:59:00Z', // 23:59
      '2025-12-31T15:00:00Z', // Thursday, 00:00
    ],
    days: ['Thu 1 Jan1', 'Wed 31 Dec2'],
    hours: { 0: 2, 23: 1 },
    sentence: '3 sign-ins in the last 2 days, 2 a day; most on Wed 31 Dec (2).',
  },
] as const;

/** The lists are read in turn, with pauses. */
const READING_MS = 40_000;
const idOf = (index: number): string => `${index.toString(16).padStart(8, '0')}-0000-4000-8000-00000000aaaa`;

describe('the numbers on the overview, in a browser', function () {
  this.timeout(90_000);
  let identityAdmin: FaultingUpstream;
  let oauthAdmin: FaultingUpstream;
  let dashboard: Dashboard;
  let time = Date.now();
  before(async function () {
    needsChromium(this);
    identityAdmin = await startFaultingUpstream();
    oauthAdmin = await startFaultingUpstream();
    dashboard = await startDashboard({
      storeFromSandbox: true,
      env: { IDENTITY_ADMIN_URL: identityAdmin.url, OAUTH_ADMIN_URL: oauthAdmin.url, GEOIP_DATABASE: 'off' },
      now: () => time,
    });
    identityAdmin.target = dashboard.sandbox.environment.IDENTITY_ADMIN_URL ?? '';
    oauthAdmin.target = dashboard.sandbox.environment.OAUTH_ADMIN_URL ?? '';
  });
  after(async () => {
    await dashboard?.close();
    await identityAdmin?.close();
    await oauthAdmin?.close();
  });

  const rows = (page: Page, id: string): Promise<string[]> =>
    page.locator(`[data-widget="${id}"] tbody tr`).allTextContents();
  const sentence = (page: Page, id: string): Promise<string | null> =>
    page.locator(`[data-widget="${id}"] p`).first().textContent();

  for (const { what, timeZone, now, signIns, days, hours, sentence: expected } of CASES)
    it(`count sign-ins by the days and hours of the operator's zone ${what}`, async () => {
      time = Date.parse(now);
      await dashboard.restart();
      const session = await dashboard.signIn('admin');
      const newestFirst = signIns.map((at, index) => listedSession(index, { at: new Date(at) })).reverse();
      identityAdmin.before = (seen) =>
        seen.path.startsWith('/admin/sessions') ? listedPage(seen, newestFirst) : undefined;
      await hasRead(dashboard, session);
      await onOverview(
        dashboard,
        session,
        async ({ page }) => {
          await page.getByRole('button', { name: 'Sign-ins as a table' }).click();
          await page.getByRole('button', { name: 'Peak hours as a table' }).click();
          await page.locator('[data-widget="sign-ins"] tbody tr').first().waitFor();
          await becomes(() => rows(page, 'sign-ins'), days);
          await becomes(() => sentence(page, 'sign-ins'), expected);
          const counts = (await page.locator('[data-widget="peak-hours"] tbody td').allTextContents()).map(Number);
          assert.deepEqual(
            counts,
            Array.from({ length: 24 }, (_, hour) => hours[hour as keyof typeof hours] ?? 0),
          );
          await page
            .locator('[data-widget="peak-hours"]')
            .getByText(`Hours in ${timeZone}, of all ${signIns.length} sessions`)
            .waitFor();
        },
        { answers: {}, timeZone },
      );
    });

  it('are those of the known identities, sessions, places and clients', async () => {
    time = Date.parse('2026-05-20T12:00:00Z');
    await dashboard.restart();
    const session = await dashboard.signIn('admin');
    const identity = (index: number, schema_id: string, verified: boolean[], created_at: string) => ({
      id: idOf(index),
      schema_id,
      created_at,
      traits: {},
      verifiable_addresses: verified.map((verified) => ({ verified })),
    });
    const identities = [
      identity(1, 'person', [true], '2026-05-20T09:00:00Z'),
      identity(2, 'person', [false, true], '2026-05-19T09:00:00Z'),
      identity(3, 'person', [false], '2026-05-19T10:00:00Z'),
      identity(4, 'device', [], '2026-03-01T10:00:00Z'),
    ];
    const at = new Date('2026-05-20T11:00:00Z');
    const sessions = [
      listedSession(1, { at }),
      listedSession(2, { at, active: false }),
      listedSession(3, { at, expires_at: '2026-05-20T11:59:59Z' }),
    ];
    const clients = [
      { client_id: 'a', grant_types: ['authorization_code', 'refresh_token'] },
      { client_id: 'b', grant_types: ['authorization_code'] },
      { client_id: 'c', grant_types: ['client_credentials'] },
    ];
    identityAdmin.before = (seen) =>
      seen.path.startsWith('/admin/sessions')
        ? listedPage(seen, sessions)
        : seen.path.includes('per_page=1')
          ? { status: 200, headers: { 'X-Total-Count': '4' }, body: '[]' }
          : seen.path.startsWith('/admin/identities?')
            ? listedPage(seen, identities)
            : undefined;
    oauthAdmin.before = (seen) => (seen.path.startsWith('/admin/clients') ? listedPage(seen, clients) : undefined);
    await hasRead(dashboard, session);
    await onOverview(
      dashboard,
      session,
      async ({ page }) => {
        const shown = async (id: string, text: string): Promise<void> =>
          page.locator(`[data-widget="${id}"]`).getByText(text).first().waitFor();
        await shown('identities-total', '3 new in 7 days, none in the 7 days before');
        await shown('identities-total', '4 identities counted');
        await shown('active-sessions', 'of all 3 sessions');
        await shown('active-sessions', '33%');
        await shown('verification-rate', '67%');
        await shown('verification-rate', '2 of 3 identities');
        await shown('session-map', '1 active session, the location of none is known.');
        await shown('session-map', 'Unknown location: 1 session');
        await shown('new-identities', '3 new identities in the last 30 days');
        for (const title of ['Identities by schema', 'OAuth2 clients by grant', 'Verification rate', 'New identities'])
          await page.getByRole('button', { name: `${title} as a table` }).click();
        await becomes(() => rows(page, 'identities-by-schema'), ['person3', 'device1']);
        await becomes(
          () => rows(page, 'clients-by-grant'),
          ['Authorization code2', 'Client credentials1', 'Refresh token1'],
        );
        await becomes(
          () => rows(page, 'verification-rate'),
          ['Verified address2', 'No verified address2', 'Of these, no address to verify1'],
        );
        await becomes(
          async () => (await rows(page, 'new-identities')).slice(0, 3),
          ['Wed 20 May1', 'Tue 19 May2', 'Mon 18 May0'],
        );
        await page.getByLabel('How far back, new identities').selectOption('90 days');
        await becomes(() => sentence(page, 'new-identities'), /^4 new identities in the last 81 days/);
      },
      { answers: {}, timeZone: 'America/Los_Angeles' },
    );
  });

  it('say how many of 30,000 they cover where there is no index', async () => {
    const MANY = 30_000;
    time = Date.parse('2026-05-20T12:00:00Z');
    await dashboard.restart({ IDENTITY_INDEX: 'off' });
    const session = await dashboard.signIn('admin');
    const at = new Date('2026-05-20T11:00:00Z');
    identityAdmin.before = (seen) =>
      seen.path.startsWith('/admin/sessions')
        ? listedPage(seen, { length: MANY, at: (index) => listedSession(index, { at }) })
        : seen.path.includes('per_page=1')
          ? { status: 200, headers: { 'X-Total-Count': String(MANY) }, body: '[]' }
          : seen.path.startsWith('/admin/identities?')
            ? listedPage(seen, {
                length: MANY,
                at: (index) => ({
                  id: idOf(index),
                  schema_id: index % 4 === 0 ? 'device' : 'person',
                  created_at: at.toISOString(),
                  traits: {},
                  verifiable_addresses: [{ verified: index % 2 === 0 }],
                }),
              })
            : undefined;
    oauthAdmin.before = (seen) =>
      seen.path.startsWith('/admin/clients')
        ? listedPage(seen, { length: MANY, at: (index) => ({ client_id: `c${index}`, grant_types: ['implicit'] }) })
        : undefined;
    await hasRead(dashboard, session);
    await onOverview(
      dashboard,
      session,
      async ({ page }) => {
        const widget = (id: string) => page.locator(`[data-widget="${id}"]`);
        await widget('identities-total').getByText('30,000', { exact: true }).waitFor();
        for (const [id, expected] of [
          ['sign-ins', /^Of the latest 20,000 sessions: 20,000 sign-ins /],
          ['peak-hours', /^Of the latest 20,000 sessions: Most sign-ins come at 11:00–12:00 \(20,000 of 20,000\)/],
          ['new-identities', /^Of 20,000 checked: 20,000 new identities /],
          ['identities-by-schema', /^Of 20,000 checked: person makes up 75% of the identities/],
          ['verification-rate', /^Of 20,000 checked: 10,000 of 20,000 identities /],
          ['clients-by-grant', /^Of 20,000 checked: Implicit is the most common grant; 20,000 of 20,000 clients /],
          ['session-map', /^Of the latest sessions: 20,000 active sessions/],
        ] as const)
          await becomes(() => sentence(page, id), expected, id, READING_MS);
        await widget('active-sessions').getByText('at least').first().waitFor();
        await widget('active-sessions').getByText('of the latest 20,000 sessions').waitFor();
        assert.doesNotMatch((await widget('active-sessions').textContent()) ?? '', /%/);
        await widget('session-map').getByText('Unknown location: at least 20,000 sessions').waitFor();
        await widget('verification-rate').getByText('of 20,000 checked').first().waitFor();
        await widget('verification-rate').getByText('50%').waitFor();
        await page.getByRole('button', { name: 'Identities by schema as a table' }).click();
        await widget('identities-by-schema').locator('tbody tr').first().waitFor();
        await becomes(() => rows(page, 'identities-by-schema'), ['person15,000', 'device5,000']);
      },
      { answers: {}, timeZone: 'UTC' },
    );
  });
});
