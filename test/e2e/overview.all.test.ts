import assert from 'node:assert/strict';
import { inReadingOrder } from '../../client/features/overview/grid/placement.ts';
import { STANDARD_LAYOUT } from '../../client/features/overview/widgets/standard-layouts.ts';
import { becomes } from '../support/becomes.ts';
import { turnTab } from '../support/newest-first-lists.ts';
import { onOverview, saved, storedLayout } from '../support/overview-visit.ts';
import { visitedPageOfSuite } from '../support/security-pages.ts';

/** The numbers that are read again each minute, by their widget. */
const EACH_MINUTE = {
  'identities-total': '/api/identities/total',
  'active-sessions': '/api/dashboard/statistics',
  'locked-accounts': '/api/security/locked-accounts',
  'recent-audit': '/api/security/audit',
  'session-map': '/api/session-locations',
};

describe('the overview for long, and on a phone, in a browser', () => {
  const visited = visitedPageOfSuite('/settings', 'Settings', { sandbox: { people: 30 } });

  it('shows the age of its numbers, at most a minute in a tab that is looked at; in a hidden one nothing is asked', () =>
    visited.visit(async ({ page }) => {
      const asked = new Map<string, number>();
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
      });
      await page.clock.install();
      await page.goto(`${visited.dashboard.baseUrl}/dashboard`);
      for (const id of Object.keys(EACH_MINUTE))
        await page
          .locator(`[data-widget="${id}"] [data-note]`)
          .getByText(/just now|ago/)
          .waitFor();
      asked.clear();
      await page.clock.runFor(61_000);
      for (const path of Object.values(EACH_MINUTE))
        await becomes(() => (asked.get(path) ?? 0) > 0 && (asked.get(path) ?? 0) <= 30, true, path);
      await page.waitForLoadState('networkidle');
      await turnTab(page, 'hidden');
      asked.clear();
      await page.clock.runFor(600_000);
      assert.deepEqual([...asked], []);
      const widget = page.locator('[data-widget="locked-accounts"] [data-note]');
      await widget.getByText(/\d\d min ago/).waitFor();
      await turnTab(page, 'visible');
      await page.clock.runFor(61_000);
      await widget.getByText(/just now|\d+ s ago/).waitFor();
    }));

  it('is arranged on a phone by the order in which widgets stand below one another', () =>
    onOverview(
      visited.dashboard,
      visited.sessions.admin,
      async ({ page }) => {
        await page.getByRole('button', { name: 'Arrange', exact: true }).click();
        await page.getByRole('button', { name: 'Arrange Sign-ins' }).click();
        await page.getByRole('button', { name: 'Move Sign-ins up' }).click();
        await page.getByText('Sign-ins is widget 4 of 13.').waitFor();
        await saved(page);
        const order = inReadingOrder(
          (await storedLayout(visited.dashboard, visited.sessions.admin))?.widgets ?? [],
        ).map(({ id }) => id);
        assert.deepEqual(order.slice(0, 4), [...STANDARD_LAYOUT.slice(0, 3).map(({ id }) => id), 'sign-ins']);
        await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), 360);
      },
      { viewport: { width: 360, height: 740 } },
    ));
});
