import assert from 'node:assert/strict';
import { onArrivedPage } from '../support/arriving-page.ts';
import { assertAccessible } from '../support/axe.ts';
import type { Visit } from '../support/browser.ts';
import { addressesOf, pagePaths } from '../support/every-page.ts';
import { focusWalk } from '../support/focus-walk.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';

/** On a desk each page is walked in accessibility.test.ts. */
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };

/** Pages by the first part of their paths. */
const sections = new Map<string, string[]>();
for (const path of await pagePaths()) {
  const section = path.split('/')[1] ?? '';
  sections.set(section, [...(sections.get(section) ?? []), path]);
}

describe('every page of the app on a phone, in a browser', function () {
  // Of a section of 15 pages.
  this.timeout(300_000);
  const suite = interceptedDashboardOfSuite({ people: 60 });
  let addressOf: (path: string) => string;
  before(async () => {
    await indexIsRead(suite.dashboard, suite.sessions.admin);
    addressOf = await addressesOf(suite.dashboard, suite.sessions.admin);
  });

  const arrived = (path: string, viewport: typeof PHONE, work: (visit: Visit) => Promise<void>): Promise<void> =>
    onArrivedPage(suite.dashboard, { session: suite.sessions.admin, path: addressOf(path), viewport }, work);

  for (const [section, paths] of sections)
    it(`does not shift while loading, has unique landmark names, and keeps the focus in sight: /${section}`, async () => {
      for (const path of paths)
        await arrived(path, PHONE, async ({ page }) => {
          await assertAccessible(page, path, { only: ['landmark-unique'] });
          assert.deepEqual(await focusWalk(page), [], path);
        });
    });

  for (const viewport of [PHONE, DESK]) {
    it(`the focused element is never behind a sticky header or footer, at ${viewport.width} pixels`, async () => {
      await arrived('/identities', viewport, async ({ page }) => {
        const rows = page.locator('tr[data-row]');
        await rows.first().focus();
        await page.keyboard.press('x');
        await page.getByText('1 selected on this page').waitFor();
        for (const key of ['j', 'k'])
          assert.deepEqual(await focusWalk(page, { key, from: key === 'j' ? rows.first() : rows.last() }), [], key);
      });
      await arrived('/oauth/clients/$id/edit', viewport, async ({ page, context, expect }) => {
        assert.deepEqual(await focusWalk(page, { key: 'Shift+Tab' }), []);
        expect(401, /^\/api\//);
        await context.clearCookies({ name: 'dashboard-session' });
        await page.getByLabel('Name', { exact: true }).fill('Another');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('You are signed out').waitFor();
        for (const key of ['Tab', 'Shift+Tab']) assert.deepEqual(await focusWalk(page, { key }), [], key);
      });
      await arrived('/dashboard', viewport, async ({ page }) => {
        await page.getByRole('button', { name: 'Arrange', exact: true }).click();
        await page.getByRole('region', { name: 'Arrange the overview' }).waitFor();
        for (const key of ['Tab', 'Shift+Tab']) assert.deepEqual(await focusWalk(page, { key }), [], key);
      });
    });
  }
});
