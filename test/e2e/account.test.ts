import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit, type VisitOptions, visiting } from '../support/browser.ts';
import { originsOf, signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

const PHONE = { width: 390, height: 844 };

describe('the menu under the operator’s name, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard({ storeFromSandbox: true });
    session = await dashboard.signIn('admin');
  });
  after(() => dashboard?.close());

  const onOverview = (
    work: (visit: Visit) => Promise<void>,
    look: Pick<VisitOptions, 'colorScheme' | 'viewport'> = {},
  ): Promise<void> => signedInVisit(dashboard, session, { path: '/dashboard', heading: 'Overview', ...look }, work);
  const button = (page: Page): Locator => page.getByRole('button', { name: dashboard.operator('admin').email });
  const menu = (page: Page): Locator => page.getByRole('menu', { name: 'Account' });
  const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');

  it('says who is signed in, as what and where, and is accessible at every width', () =>
    onOverview(async ({ page }) => {
      for (const viewport of [{ width: 1440, height: 900 }, PHONE]) {
        await page.setViewportSize(viewport);
        await button(page).click();
        await menu(page).getByRole('menuitem', { name: 'Sign out' }).waitFor();
        const panel = menu(page).locator('..');
        assert.match((await panel.textContent()) ?? '', /admin@example\.com.*Administrator.*Customer identity/);
        const box = (await panel.boundingBox()) ?? assert.fail('no box');
        assert.ok(box.x >= 0 && box.x + box.width <= viewport.width, JSON.stringify(box));
        assert.ok(box.y >= 0 && box.y + box.height <= viewport.height, JSON.stringify(box));
        await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
        await assertAccessibleInAllLooks(page, `the menu at ${viewport.width}`);
        await page.keyboard.press('Escape');
        await menu(page).waitFor({ state: 'detached' });
      }
    }));

  it('is used by keys alone, and gives the focus back', () =>
    onOverview(async ({ page }) => {
      await button(page).focus();
      await page.keyboard.press('Enter');
      await becomes(() => focused(page), 'As the system');
      await page.keyboard.press('End');
      await becomes(() => focused(page), 'Sign out');
      await page.keyboard.press('ArrowDown');
      await becomes(() => focused(page), 'As the system');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      await becomes(() => focused(page), 'Keyboard shortcuts');
      await page.keyboard.press('Escape');
      await menu(page).waitFor({ state: 'detached' });
      assert.ok(await button(page).evaluate((element) => element === document.activeElement));
      await page.keyboard.press('Enter');
      await menu(page).getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await becomes(() => menu(page).count(), 0);
    }));

  it('closes when something else is pressed, and by a second press of the name', () =>
    onOverview(async ({ page }) => {
      await button(page).click();
      await menu(page).waitFor();
      await page.getByRole('heading', { level: 1 }).click();
      await menu(page).waitFor({ state: 'detached' });
      await button(page).click();
      await menu(page).waitFor();
      await button(page).click();
      await menu(page).waitFor({ state: 'detached' });
    }));

  it('chooses the colours, and keeps the choice', () =>
    onOverview(async ({ page }) => {
      const scheme = () => page.evaluate(() => document.documentElement.dataset['mantineColorScheme']);
      await becomes(scheme, 'light');
      await button(page).click();
      const dark = menu(page).getByRole('menuitemradio', { name: 'Dark' });
      await dark.click();
      await becomes(scheme, 'dark');
      await becomes(() => dark.getAttribute('aria-checked'), 'true');
      await page.reload();
      await button(page).click();
      await becomes(() => dark.getAttribute('aria-checked'), 'true');
      await becomes(scheme, 'dark');
    }));

  it('chooses the zone of every exact time, of the days that are asked for and of the numbers, for this browser', () =>
    visiting({ origins: originsOf(dashboard), timeZone: 'America/New_York' }, async ({ page, context }) => {
      await context.addCookies([
        { name: 'dashboard-session', value: session, url: dashboard.baseUrl, httpOnly: true, sameSite: 'Strict' },
      ]);
      const asked: URL[] = [];
      page.on('request', (request) => asked.push(new URL(request.url())));
      const zones = (): string[] =>
        asked.flatMap(({ searchParams }) => searchParams.get('time_zone') ?? []).filter((zone) => zone !== '');
      const starts = (): string[] => asked.flatMap(({ searchParams }) => searchParams.get('created_from') ?? []);
      const people = `${dashboard.baseUrl}/identities?created=2026-01-05..2026-01-06`;
      const time = page.locator('main time').first();

      await page.goto(people);
      await page.getByRole('button', { name: 'Created from 5 Jan 2026 to 6 Jan 2026' }).waitFor();
      await becomes(() => starts().at(-1), '2026-01-05T05:00:00.000Z');

      await button(page).click();
      const entry = menu(page).getByRole('menuitem', { name: /^Time zone/ });
      await becomes(() => entry.textContent(), /America\/New_York \(UTC-[45]\)/);
      await entry.click();
      const dialog = page.getByRole('dialog', { name: 'Time zone' });
      await dialog.getByLabel('Time zone').waitFor();
      await assertAccessibleInAllLooks(page, 'the choice of a zone');
      await dialog.getByLabel('Time zone').selectOption('Asia/Tokyo');
      await Promise.all([page.waitForEvent('load'), dialog.getByRole('button', { name: 'Use this zone' }).click()]);
      await page.getByRole('button', { name: 'Created from 5 Jan 2026 to 6 Jan 2026' }).waitFor();
      await becomes(() => starts().at(-1), '2026-01-04T15:00:00.000Z');

      await page.goto(`${dashboard.baseUrl}/security/audit?from=2026-01-31T20:00:00Z`);
      await time.waitFor();
      assert.match((await time.getAttribute('title')) ?? '', /^\d+ \w+ \d{4}, \d\d:\d\d:\d\d UTC\+9$/);
      const at = Date.parse((await time.getAttribute('datetime')) ?? '');
      const tokyo = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'Asia/Tokyo' }).format(at);
      assert.ok((await time.getAttribute('title'))?.includes(`, ${tokyo} `), tokyo);
      await becomes(() => page.getByLabel('From', { exact: true }).inputValue(), '1 Feb 2026, 05:00');

      await page.goto(`${dashboard.baseUrl}/dashboard`);
      await becomes(() => zones().at(-1), 'Asia/Tokyo');

      await button(page).click();
      await entry.click();
      await dialog.getByLabel('Time zone').selectOption('');
      await Promise.all([page.waitForEvent('load'), dialog.getByRole('button', { name: 'Use this zone' }).click()]);
      await becomes(() => zones().at(-1), 'America/New_York');
      await becomes(() => page.evaluate(() => localStorage.getItem('time-zone')), null);
    }));

  it('shows the browser’s zone where a zone is kept that there is not', () =>
    visiting({ origins: originsOf(dashboard), timeZone: 'Asia/Kathmandu' }, async ({ page, context }) => {
      await context.addCookies([
        { name: 'dashboard-session', value: session, url: dashboard.baseUrl, httpOnly: true, sameSite: 'Strict' },
      ]);
      await context.addInitScript(() => localStorage.setItem('time-zone', 'Mars/Olympus'));
      await page.goto(`${dashboard.baseUrl}/security/audit`);
      const time = page.locator('main time').first();
      await becomes(() => time.getAttribute('title'), /UTC\+5:45$/);
    }));

  it('signs out', () =>
    onOverview(async ({ page }) => {
      await page.route('**/api/auth/logout', (route) => route.fulfill({ status: 204 }));
      await button(page).click();
      await menu(page).getByRole('menuitem', { name: 'Sign out' }).click();
      await page.waitForURL('**/signed-out');
    }));
});
