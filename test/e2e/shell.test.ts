import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit, type VisitOptions, visiting } from '../support/browser.ts';
import { originsOf, signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

describe('the frame of every page, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
    session = await dashboard.signIn('admin');
  });
  after(() => dashboard?.close());

  const onOverview = (
    work: (visit: Visit) => Promise<void>,
    look: Pick<VisitOptions, 'colorScheme' | 'viewport'> = {},
  ): Promise<void> => signedInVisit(dashboard, session, { path: '/dashboard', heading: 'Overview', ...look }, work);
  const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');

  it('is accessible around an unknown page, and with the keys', () =>
    onOverview(async ({ page }) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Search or jump to').waitFor();
      await assertAccessibleInAllLooks(page, 'the keys');
      await page.goto(`${dashboard.baseUrl}/no/such/page`);
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the unknown page');
    }));

  it('is accessible after a sign-in that failed, for every reason, and after a sign-out', () =>
    visiting({ origins: originsOf(dashboard) }, async ({ page }) => {
      for (const reason of [
        'no_role',
        'denied',
        'provider_refused',
        'provider_unreachable',
        'store_key',
        'inactive',
        'cookies',
        'x',
      ]) {
        await page.goto(`${dashboard.baseUrl}/sign-in-failed?reason=${reason}`);
        await page.getByRole('link', { name: 'Sign in again' }).waitFor();
        // The other reasons show less of the same page.
        if (reason === 'store_key') await assertAccessibleInAllLooks(page, reason);
        // Tells those who can fix it how, and does not suggest waiting for what will not pass.
        const said = (await page.getByRole('main').textContent()) ?? '';
        assert.equal(said.includes('settings:set upstream.identity-admin.api_key'), reason === 'store_key', said);
        assert.equal(/wait a moment/i.test(said), reason === 'provider_unreachable', said);
      }
      await page.goto(`${dashboard.baseUrl}/signed-out`);
      await page.getByRole('link', { name: 'Sign in' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the page after a sign-out');
    }));

  it('takes the focus to the heading of the next page, and there by keys alone', () =>
    onOverview(async ({ page }) => {
      await page.keyboard.press('g');
      await page.keyboard.press('s');
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
      await becomes(() => focused(page), 'Settings');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Page or action').fill('syst');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
      await page.getByPlaceholder('Page or action').waitFor({ state: 'detached' });
      await becomes(() => page.title(), 'System · Customer identity');
    }));

  it('has a key of its own for every page', () =>
    onOverview(async ({ page }) => {
      await page.keyboard.press('?');
      const keys = page.locator('section:has(> h3:text-is("Go to a page")) dd');
      await keys.first().waitFor();
      const letters = await keys.allTextContents();
      assert.equal(letters.length, await page.getByRole('navigation', { name: 'Pages' }).locator('li').count());
      assert.equal(new Set(letters).size, letters.length, letters.join(' '));
    }));

  it('looks for what is typed into the palette on the pages that search', () =>
    onOverview(async ({ page }) => {
      await page.getByRole('button', { name: 'Search or jump to…' }).click();
      await page.getByPlaceholder('Page or action').fill('mail.smtp');
      await page.getByText('Find in settings: mail.smtp').click();
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      await becomes(() => new URL(page.url()).search, '?q=mail.smtp');
    }));

  it('leaves single keys alone while something is typed', () =>
    onOverview(async ({ page }) => {
      await page.goto(`${dashboard.baseUrl}/settings?new=true`);
      await page.getByRole('dialog').getByLabel('Key').fill('');
      await page.keyboard.type('gs?');
      await becomes(() => page.getByRole('dialog').getByLabel('Key').inputValue(), 'gs?');
      await becomes(() => page.getByRole('dialog').count(), 1);
    }));

  it('begins with a link past the navigation', () =>
    onOverview(async ({ page }) => {
      await page.keyboard.press('Tab');
      await becomes(() => focused(page), 'Skip to content');
      await page.keyboard.press('Enter');
      await becomes(() => page.evaluate(() => document.activeElement?.id), 'content');
    }));

  it('says in place what failed, with the request id, and tries again', () =>
    onOverview(async ({ page, context, expect }) => {
      expect(503, '/api/settings');
      let away = true;
      await context.route('**/api/settings?*', (route) =>
        away
          ? route.fulfill({
              status: 503,
              headers: { 'x-request-id': 'r-42' },
              json: { error: 'service_unavailable', message: 'The service is not available at the moment.' },
            })
          : route.continue(),
      );
      await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
      await page.getByText('r-42').waitFor();
      await assertAccessibleInAllLooks(page, 'the failure');
      away = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('No settings yet').waitFor();
    }));

  it('fits 360 pixels on every page', () =>
    onOverview(
      async ({ page }) => {
        for (const path of ['/dashboard', '/settings', '/settings?new=true', '/system', '/nowhere', '/signed-out']) {
          await page.goto(`${dashboard.baseUrl}${path}`);
          await page.getByRole('heading').first().waitFor();
          await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), 360, path);
        }
      },
      { viewport: { width: 360, height: 740 } },
    ));
});
