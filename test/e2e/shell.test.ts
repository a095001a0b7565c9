import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the app shell', () => {
  const suite = interceptedDashboardOfSuite({ people: 30 });
  const onOverview = (work: (page: Page) => Promise<void>): Promise<void> =>
    onPage(suite, { path: '/dashboard', heading: 'Overview' }, ({ page }) => work(page));
  const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
  const account = (page: Page): Locator => page.getByRole('button', { name: 'admin@example.com' });
  const menu = (page: Page): Locator => page.getByRole('menu', { name: 'admin@example.com' });

  it('starts with a link that skips the navigation, and moves the focus to the heading of the next page', () =>
    onOverview(async (page) => {
      await page.keyboard.press('Tab');
      await eventually(() => focused(page), 'Skip to content');
      await page.keyboard.press('Enter');
      await eventually(() => page.evaluate(() => document.activeElement?.id), 'content');
      await page.keyboard.press('g');
      await page.keyboard.press('s');
      await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
      await eventually(() => focused(page), 'Settings');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Page or action').fill('syst');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
      await page.getByPlaceholder('Page or action').waitFor({ state: 'detached' });
      await eventually(() => page.title(), 'System · Customer identity');
    }));

  it('remembers the colour scheme and the time zone, and applies the time zone to requests and displayed times', () =>
    onOverview(async (page) => {
      const starts: string[] = [];
      page.on('request', (request) => {
        const start = new URL(request.url()).searchParams.get('created_from');
        if (start !== null) starts.push(start);
      });
      await account(page).click();
      await menu(page).getByRole('menuitemradio', { name: 'Dark' }).click();
      await menu(page)
        .getByRole('menuitem', { name: /^Time zone/ })
        .click();
      const dialog = page.getByRole('dialog', { name: 'Time zone' });
      await dialog.getByLabel('Time zone').selectOption('Asia/Tokyo');
      await Promise.all([
        page.waitForEvent('load'),
        dialog.getByRole('button', { name: 'Use this time zone' }).click(),
      ]);
      await eventually(() => page.evaluate(() => document.documentElement.dataset['mantineColorScheme']), 'dark');
      await page.goto(`${suite.dashboard.baseUrl}/identities?created=2026-01-05..2026-01-06`);
      await page.getByRole('button', { name: /^Created:? .*5 Jan.* 6 Jan/ }).waitFor();
      await eventually(() => starts.at(-1), '2026-01-04T15:00:00.000Z');
      await page.goto(`${suite.dashboard.baseUrl}/security/audit?from=2026-01-31T20:00:00Z`);
      await eventually(
        () => page.locator('main time').first().getAttribute('title'),
        /^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC\+9$/,
      );
      await page.getByRole('button', { name: /^When: from 1 Feb(?: 2026)?, 05:00$/ }).waitFor();
    }));

  it('collapses the navigation to named icons with a key, also after a reload, and expands it with a button', () =>
    onOverview(async (page) => {
      const navigation = page.getByRole('navigation', { name: 'Pages' });
      const link = navigation.getByRole('link', { name: 'Overview', exact: true });
      const width = async (): Promise<number> => (await navigation.boundingBox())?.width ?? 0;
      await link.waitFor();
      await page.keyboard.press('[');
      await eventually(async () => (await width()) < 64, true);
      await page.reload();
      await eventually(async () => (await width()) < 64, true);
      await eventually(() => link.getAttribute('aria-current'), 'page');
      await link.focus();
      await eventually(async () => ((await link.getByText('Overview').boundingBox())?.width ?? 0) > 48, true);
      await navigation.getByRole('button', { name: 'Expand navigation' }).press('Enter');
      await eventually(async () => (await width()) > 200, true);
      await eventually(() => focused(page), 'Collapse navigation');
    }));
});
