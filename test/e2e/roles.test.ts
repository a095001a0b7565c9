import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { ROLES, type Role } from '../../shared/capabilities.ts';
import { ROLE_TABLE } from '../routes/roles.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

describe('the app as each role sees it', () => {
  let dashboard: Dashboard;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
    // The trail names somebody else, whose name not everybody may ask for.
    await dashboard.signIn('admin');
  });
  after(() => dashboard?.close());

  /** Opens the overview; `refused` grows by every path that the service answers with a 403. */
  const onOverview = async (role: Role, work: (page: Page, refused: string[]) => Promise<void>): Promise<void> =>
    signedInVisit(dashboard, await dashboard.signIn(role), { path: '/dashboard' }, async ({ page }) => {
      const refused: string[] = [];
      page.on('response', (answer) => void (answer.status() === 403 && refused.push(new URL(answer.url()).pathname)));
      await page.reload();
      await page.locator('[data-widget]').first().waitFor();
      await work(page, refused);
    });
  const links = (page: Page, list: string) => page.getByRole('navigation', { name: list }).getByRole('link');

  for (const role of ROLES)
    it(`opens to ${role} the pages and tabs that are theirs, and asks for nothing that is refused`, () =>
      onOverview(role, async (page, refused) => {
        const { pages, tabs = [] } = ROLE_TABLE[role];
        await page.waitForLoadState('networkidle');
        const all = await links(page, 'Pages').allTextContents();
        const open = all.filter((name) => !name.includes('(for '));
        assert.deepEqual(open, pages === 'everything' ? all : pages);
        for (const name of pages === 'everything' ? [] : open) {
          await links(page, 'Pages').getByText(name, { exact: true }).click();
          await page.waitForLoadState('networkidle');
          assert.equal(await page.getByText('Admin access required.').count(), 0, `${name}: ${page.url()} ${refused}`);
        }
        if (tabs.length > 0) await links(page, 'Pages').getByText('Security', { exact: true }).click();
        await becomes(() => links(page, 'Security').allTextContents(), [...tabs]);
        // The page itself is one of them.
        await becomes(
          () => page.locator('[aria-label=Security] [aria-current=page]').count(),
          Math.min(tabs.length, 1),
        );
        for (const name of tabs) {
          await links(page, 'Security').getByText(name, { exact: true }).click();
          await page.waitForLoadState('networkidle');
        }
        assert.deepEqual(refused, []);
      }));
});
