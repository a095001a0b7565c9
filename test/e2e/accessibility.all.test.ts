import assert from 'node:assert/strict';
import { focusWalk, onArrivedPage } from '../support/arriving-page.ts';
import { assertAccessibleInAllLooks, assertAccessibleOnPhone } from '../support/axe.ts';
import type { Visit } from '../support/browser.ts';
import { addressesOf } from '../support/every-page.ts';
import { create } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';
import { dialogOf, fails, inStates, type PageRow, press } from '../support/page-rows.ts';
import { PAGES, prepared } from '../support/page-table.ts';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

/** `PERSON` in a path is the id of a deactivated identity. */
const RARE: Readonly<Record<string, readonly PageRow[]>> = {
  'pages whose requests fail': [
    { page: '/messages', given: (visit) => fails(visit, '/api/identity-admin/admin/courier/messages') },
    { page: '/dashboard', given: (visit) => fails(visit, '/api/dashboard/statistics') },
    { page: '/system', moves: true, given: (visit) => fails(visit, '/api/services') },
    {
      page: '/sessions',
      given: (visit) => fails(visit, '/api/session-locations'),
      states: { 'the map': (page) => press(page, 'Map') },
    },
    { page: '/sign-in-failed', query: '?reason=provider_unreachable' },
  ],
  'missing records': [
    { page: '/identities/00000000-0000-4000-8000-000000000000' },
    { page: '/sessions/00000000-0000-4000-8000-000000000000' },
    { page: '/oauth/consents' },
    { page: '/oauth/clients', query: '?q=zzzz' },
    { page: '/identities/PERSON/credentials' },
    { page: '/security/audit', query: '?subject=setting:none' },
    {
      page: '/security/audit',
      query: '?from=yesterday',
      given: async ({ expect }: Visit) => expect(400, '/api/security/audit'),
    },
  ],
  'pages of a viewer': [
    { page: '/dashboard', role: 'viewer' },
    // Requested along with the session.
    { page: '/settings', role: 'viewer', given: async ({ expect }) => expect(403, '/api/settings') },
    { page: '/system', role: 'viewer' },
  ],
  'bulk actions': [
    {
      page: '/identities',
      states: {
        'all matching rows': async (page) => {
          await page.getByLabel('Select all rows on this page').check();
          await press(page, /^Select all \d+/);
        },
        'deleting all matching rows': async (page) => {
          await press(page, 'Delete');
          await dialogOf(page).getByRole('textbox').waitFor();
        },
      },
    },
    {
      page: '/identities/export',
      states: {
        'the finished export': async (page) => {
          await press(page, 'Export all identities');
          await page
            .getByText(/^\d+ identities/)
            .first()
            .waitFor();
        },
      },
    },
    {
      page: '/dashboard',
      states: {
        'charts as tables': async (page) => {
          for (const button of await page.getByRole('button', { name: /as a table$/ }).all()) await button.click();
          await page.locator('main table').first().waitFor();
        },
      },
    },
    {
      page: '/sessions',
      states: {
        'ending several sessions': async (page) => {
          await page.locator('tr[data-row]').first().focus();
          await page.keyboard.press('x');
          await press(page, /^End/);
          await dialogOf(page).getByRole('button', { name: 'Cancel' }).waitFor();
        },
      },
    },
  ],
  'changed and deleted records': [
    {
      page: '/identities/PERSON/history',
      states: {
        'an undo': (page) => page.getByRole('button', { name: /^Undo the deactivation/ }).waitFor(),
      },
    },
    {
      page: '/settings',
      states: {
        'deleted settings': async (page) => {
          await press(page, 'Deleted settings');
          await page.getByText('mail.gone').waitFor();
        },
      },
    },
    {
      page: '/security/audit',
      given: ({ context }) =>
        context.route('**/api/security/audit/chain', (route) =>
          route.fulfill({
            json: { status: 'broken', verified_to: 6, head: 90, broken_at: 7, as_of: new Date().toISOString() },
          }),
        ),
      states: {
        'the finished export': async (page) => {
          await press(page, 'Export…');
          await page.getByText(/^Export .* records as CSV$/).click();
          await page.getByText(/records were exported/).waitFor();
        },
      },
    },
    {
      page: '/identities/PERSON/traits/edit',
      states: {
        'two versions': async (page, { expect }) => {
          expect(409, /./);
          await page.getByLabel('First name').fill('Grace');
          await page.evaluate(async (id) => {
            await fetch(`/api/identity-admin/admin/identities/${id}`, {
              method: 'PATCH',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify([{ op: 'replace', path: '/traits/name/first', value: 'Other' }]),
            });
          }, new URL(page.url()).pathname.split('/')[2]);
          await press(page, 'Save');
          await page.getByText('Other').first().waitFor();
        },
      },
    },
    { page: '/security', states: { 'passed checks': (page) => page.getByText(/^Show \d+ checks without/).click() } },
  ],
};

describe('accessibility in every theme and size', function () {
  // Of a section of ten pages.
  this.timeout(600_000);
  const suite = interceptedDashboardOfSuite({ people: 60 });
  let addressOf: (path: string) => string;
  before(async () => {
    const { dashboard, sessions } = suite;
    const session = sessions.admin;
    await prepared(suite);
    const person = await create(suite, {
      schema_id: 'customer',
      traits: { email: 'ada@example.org', name: { first: 'Ada', last: 'Old' } },
    });
    await dashboard.call(`/api/identity-admin/admin/identities/${person.id}`, {
      session,
      method: 'PATCH',
      json: [{ op: 'replace', path: '/state', value: 'inactive' }],
    });
    await dashboard.call('/api/settings', { session, json: { key: 'mail.gone', value: 'x' } });
    await dashboard.call('/api/settings/mail.gone', { session, method: 'DELETE' });
    const addressOfFirst = await addressesOf(dashboard, session);
    addressOf = (path) => addressOfFirst(path).replace('PERSON', person.id);
  });

  const visitPage = (
    { page, query = '', role = 'admin', given, moves }: PageRow,
    viewport: typeof DESK,
    work: (visit: Visit, address: string) => Promise<void>,
  ): Promise<void> => {
    const path = addressOf(page) + query;
    const arrival = { session: suite.sessions[role], path, viewport, given, moves };
    return onArrivedPage(suite.dashboard, arrival, (visit) => work(visit, path));
  };

  for (const [section, rows] of [...Object.entries(PAGES), ...Object.entries(RARE)]) {
    const isUsual = section in PAGES;
    // The first tier checks the usual pages in light and dark.
    const assertPasses = isUsual ? assertAccessibleOnPhone : assertAccessibleInAllLooks;
    it(`pages pass axe in every theme, do not shift while loading, and keep the focus visible: ${section}`, async () => {
      for (const row of rows) {
        await visitPage(row, DESK, async (visit, address) => {
          assert.deepEqual(await focusWalk(visit.page), [], address);
          await assertPasses(visit.page, address);
          await inStates(visit, row, (state) => assertPasses(visit.page, `${address}, ${state},`));
        });
        if (isUsual)
          await visitPage(row, PHONE, async ({ page }, address) => {
            assert.deepEqual(await focusWalk(page), [], address);
          });
      }
    });
  }

  for (const viewport of [PHONE, DESK])
    it(`sticky headers and footers never cover the focused element at ${viewport.width} px`, async () => {
      await visitPage({ page: '/identities' }, viewport, async ({ page }) => {
        const rows = page.locator('tr[data-row]');
        await rows.first().focus();
        await page.keyboard.press('x');
        await page.getByText('1 selected on this page').waitFor();
        for (const key of ['j', 'k'])
          assert.deepEqual(await focusWalk(page, { key, from: key === 'j' ? rows.first() : rows.last() }), [], key);
      });
      await visitPage({ page: '/oauth/clients/$id/edit' }, viewport, async ({ page, context, expect }) => {
        assert.deepEqual(await focusWalk(page, { key: 'Shift+Tab' }), []);
        expect(401, /^\/api\//);
        await context.clearCookies({ name: 'dashboard-session' });
        await page.getByLabel('Name', { exact: true }).fill('Another');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('You are signed out').waitFor();
        for (const key of ['Tab', 'Shift+Tab']) assert.deepEqual(await focusWalk(page, { key }), [], key);
      });
      await visitPage({ page: '/dashboard' }, viewport, async ({ page }) => {
        await press(page, 'Arrange');
        await page.getByRole('region', { name: 'Arrange the overview' }).waitFor();
        for (const key of ['Tab', 'Shift+Tab']) assert.deepEqual(await focusWalk(page, { key }), [], key);
      });
    });
});
