import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

const PHONE = { width: 390, height: 844 };
/** Of the first screen, what stands above a list. */
const MOST = 400;

const LOCKED = {
  data: [
    {
      id: 'l1',
      identifier: 'ada@example.org',
      reason: 'wrong_password',
      attempts: 5,
      trigger_ip: null,
      locked_at: '2026-01-01T00:00:00.000Z',
      locked_until: null,
    },
  ],
  total: 1,
  truncated: false,
};

/** Each list with what narrows it, and what its first row is. */
const LISTS = [
  { path: '/identities', row: 'main tbody tr' },
  { path: '/identities?state=active&sort=-created', row: 'main tbody tr', set: 1 },
  { path: '/oauth/clients', row: 'main tbody tr' },
  { path: '/sessions', row: 'main tbody tr' },
  { path: '/sessions?active=true', row: 'main tbody tr', set: 1 },
  { path: '/messages', row: 'main tbody tr' },
  { path: '/messages?status=sent', row: 'main tbody tr', set: 1 },
  { path: '/security/audit', row: 'main ol > li' },
  { path: '/security/audit?action=login&from=168h', row: 'main ol > li', set: 2 },
  { path: '/security/locked-accounts', row: 'main ul[aria-label="Locked accounts"] > li' },
  { path: '/settings', row: 'main tbody tr' },
  { path: '/settings?category=mail', row: 'main tbody tr', set: 1 },
] as const;

describe('lists on a phone, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard({ storeFromSandbox: true, sandbox: { people: 40 } });
    session = await dashboard.signIn('admin');
    for (const key of ['mail.from', 'mail.host'])
      await dashboard.call('/api/settings', { session, json: { key, value: 'x', category: 'mail' } });
  });
  after(() => dashboard?.close());

  const width = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
  const filter = (page: Page) => page.getByRole('button', { name: /^Filter/ });

  for (const list of LISTS) {
    it(`begin within the first ${MOST} pixels, with their filters folded and counted: ${list.path}`, () =>
      signedInVisit(dashboard, session, { path: '/nowhere', viewport: PHONE }, async ({ page, context }) => {
        await context.route('**/api/security/locked-accounts', (route) => route.fulfill({ json: LOCKED }));
        await page.goto(`${dashboard.baseUrl}${list.path}`);
        const row = page.locator(list.row).first();
        await row.waitFor();
        if ('set' in list) await becomes(() => filter(page).textContent(), `Filter (${list.set})`);
        await becomes(async () => ((await row.boundingBox())?.y ?? MOST) < MOST, true);
        assert.equal(
          await page.locator('main select:visible').count(),
          list.path.includes('locked') ? 0 : pagerOf(list.path),
        );
        await becomes(() => width(page), PHONE.width);
      }));
  }

  it('unfold their filters, which are accessible, and fold them again', () =>
    signedInVisit(dashboard, session, { path: '/messages', viewport: PHONE }, async ({ page }) => {
      await page.locator('main tbody tr').first().waitFor();
      for (const [path, label] of [
        ['/messages', 'Status'],
        ['/security/audit', 'What'],
        ['/identities', 'State'],
      ] as const) {
        await page.goto(`${dashboard.baseUrl}${path}`);
        await filter(page).click();
        await page.getByLabel(label, { exact: true }).waitFor();
        await assertAccessibleInAllLooks(page, `${path} with its filters`);
        await becomes(() => width(page), PHONE.width);
        await filter(page).click();
        await page.getByLabel(label, { exact: true }).waitFor({ state: 'hidden' });
      }
    }));

  it('keep the menu of views within the screen, also beside the name of a view', () =>
    signedInVisit(dashboard, session, { path: '/identities?state=active', viewport: PHONE }, async ({ page }) => {
      await page.locator('main tbody tr').first().waitFor();
      await page.getByRole('button', { name: 'Views', exact: true }).click();
      await page.locator('[data-views] > div > *').first().waitFor();
      const box = (await page.locator('[data-views] > div').boundingBox()) ?? assert.fail('no menu');
      assert.ok(box.x >= 0 && box.x + box.width <= PHONE.width, JSON.stringify(box));
      await becomes(() => width(page), PHONE.width);
    }));

  /** Texts that are cut off in cells of the list. */
  const cutOff = (page: Page): Promise<(string | null)[]> =>
    page
      .locator('main tbody td')
      .evaluateAll((cells) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map(({ textContent }) => textContent),
      );

  it('show identifiers, times and grants whole', () =>
    signedInVisit(dashboard, session, { path: '/sessions', viewport: PHONE }, async ({ page }) => {
      for (const path of ['/sessions', '/oauth/clients', '/identities', '/messages']) {
        await page.goto(`${dashboard.baseUrl}${path}`);
        await page.locator('main tbody tr').nth(5).waitFor();
        assert.deepEqual(await cutOff(page), [], path);
      }
    }));

  it('and on a desk show names, grants and times whole, and break no word of the columns of an export', () =>
    signedInVisit(dashboard, session, { path: '/oauth/clients' }, async ({ page }) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.locator('main tbody tr').nth(5).waitFor();
      // A client without a name has its id in two columns, which can be copied.
      assert.deepEqual(new Set((await cutOff(page)).filter((text) => !/^[\da-f-]{36}$/.test(text ?? ''))), new Set());
      await page.goto(`${dashboard.baseUrl}/identities/export`);
      const newsletter = page.getByText('traits.newsletter', { exact: true });
      for (const viewport of [{ width: 1440, height: 900 }, PHONE]) {
        await page.setViewportSize(viewport);
        await newsletter.waitFor();
        const lines = await newsletter.evaluate((label) => {
          const range = document.createRange();
          range.selectNodeContents(label);
          return range.getClientRects().length;
        });
        assert.equal(lines, 1, String(viewport.width));
      }
    }));
});

/** Rows per page are chosen above the lists that turn pages. */
const pagerOf = (path: string): number => (path.startsWith('/settings') ? 0 : 1);
