import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit, visiting } from '../support/browser.ts';
import { originsOf } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { addressesOf, pagePaths } from '../support/every-page.ts';
import { focusWalk } from '../support/focus-walk.ts';

const VIEWPORTS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** The threshold for "good" at web.dev/cls. */
const SHIFT_MAX = 0.05;

const paths = await pagePaths();

describe('every page of the app, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  let addressOf: (path: string) => string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard({ sandbox: { people: 60 } });
    session = await dashboard.signIn('admin');
    addressOf = await addressesOf(dashboard, session);
  });
  after(() => dashboard?.close());

  /** Delivers the page's responses one by one, each after the previous one has been rendered. */
  const arriving = (path: string, viewport: (typeof VIEWPORTS)[number], work: (visit: Visit) => Promise<void>) =>
    visiting({ origins: originsOf(dashboard), viewport, warm: true }, async (visit) => {
      const { context, page, expect } = visit;
      expect(404, /./);
      await context.addCookies([{ name: 'dashboard-session', value: session, url: dashboard.baseUrl }]);
      let line = Promise.resolve();
      let waiting = 0;
      // By the protocol itself: where the library holds requests back, it takes every one and switches the cache off.
      const protocol = await context.newCDPSession(page);
      protocol.on('Fetch.requestPaused', ({ requestId }) => {
        waiting += 1;
        line = line
          .then(() => painted(page))
          .then(() => protocol.send('Fetch.continueRequest', { requestId }).catch(() => {}))
          .then(() => {
            waiting -= 1;
          });
      });
      await protocol.send('Fetch.enable', { patterns: [{ urlPattern: `${dashboard.baseUrl}/api/*` }] });
      await page.goto(`${dashboard.baseUrl}${addressOf(path)}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await becomes(async () => waiting + (await page.locator('[aria-busy=true]').count()), 0);
      await painted(page);
      await work(visit);
      await protocol.detach();
    });

  for (const path of paths)
    it(`${path} does not shift while loading, has unique landmark names, and keeps the focus in sight`, async () => {
      for (const viewport of VIEWPORTS)
        await arriving(path, viewport, async ({ page }) => {
          const what = `${path} at ${viewport.width} px`;
          const shifts = await layoutShifts(page);
          const sum = shifts.reduce((total, { value }) => total + value, 0);
          assert.ok(sum <= SHIFT_MAX, `${what} moves by ${sum}: ${JSON.stringify(shifts, null, 1)}`);
          await assertAccessible(page, what, { only: ['landmark-unique'] });
          assert.deepEqual(await focusWalk(page), [], what);
        });
    });

  for (const viewport of VIEWPORTS) {
    it(`the focused element is never behind a sticky header or footer, at ${viewport.width} pixels`, async () => {
      await arriving('/identities', viewport, async ({ page }) => {
        const rows = page.locator('tr[data-row]');
        await rows.first().focus();
        await page.keyboard.press('x');
        await page.getByText('1 selected on this page').waitFor();
        for (const key of ['j', 'k'])
          assert.deepEqual(await focusWalk(page, { key, from: key === 'j' ? rows.first() : rows.last() }), [], key);
      });
      await arriving('/oauth/clients/$id/edit', viewport, async ({ page }) =>
        assert.deepEqual(await focusWalk(page, { key: 'Shift+Tab' }), []),
      );
      await arriving('/oauth/clients/$id/edit', viewport, async ({ page, context, expect }) => {
        expect(401, /^\/api\//);
        await context.clearCookies({ name: 'dashboard-session' });
        await page.getByLabel('Name', { exact: true }).fill('Another');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('You are signed out').waitFor();
        for (const key of ['Tab', 'Shift+Tab']) assert.deepEqual(await focusWalk(page, { key }), [], key);
      });
      await arriving('/dashboard', viewport, async ({ page }) => {
        await page.getByRole('button', { name: 'Arrange', exact: true }).click();
        await page.getByRole('region', { name: 'Arrange the overview' }).waitFor();
        for (const key of ['Tab', 'Shift+Tab']) assert.deepEqual(await focusWalk(page, { key }), [], key);
      });
    });
  }
});

/** Waits two frames: the first may already have been under way. */
const painted = (page: Page): Promise<void> =>
  page
    .evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))))
    .catch(() => {});

interface Shift {
  value: number;
  what: string[];
}

const layoutShifts = (page: Page): Promise<Shift[]> =>
  page.evaluate(
    () =>
      new Promise<Shift[]>((done) => {
        const observer = new PerformanceObserver((list) => {
          const entries = list.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
            sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
          })[];
          done(
            entries
              .filter(({ hadRecentInput }) => !hadRecentInput)
              .map(({ value, sources }) => ({
                value,
                what: sources.map(
                  ({ node, previousRect: was, currentRect: is }) =>
                    `${(node as Element | null)?.className ?? node?.nodeName} "${node?.textContent?.slice(0, 30)}" ${Math.round(was.y)}+${Math.round(was.height)} -> ${Math.round(is.y)}+${Math.round(is.height)}`,
                ),
              })),
          );
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => setTimeout(() => done([]), 50));
      }),
  );
