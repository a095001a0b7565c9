import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { create } from '../support/identity-pages.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import {
  COUNT,
  currentView,
  isFocused,
  openedMenu,
  query,
  storeViews,
  viewOf,
  viewsButton,
  viewsMenu,
} from '../support/view-pages.ts';

describe('the menu of views, in a browser', function () {
  this.timeout(90_000);
  const intercepted = interceptedDashboardOfSuite({ people: 30 });
  before(async () => {
    for (const name of ['One', 'Two', 'Three'])
      await create(intercepted, {
        schema_id: 'customer',
        state: 'inactive',
        traits: { email: `sleeping-${name.toLowerCase()}@example.org`, name: { first: 'Sleeping', last: name } },
      });
    await indexIsRead(intercepted.dashboard, intercepted.sessions.admin);
  });
  beforeEach(() => storeViews(intercepted));

  it('say before saving that there is nothing to save, or that there are as many as there can be', () =>
    onPage(
      intercepted,
      '/identities',
      async ({ page }) => {
        const saves = page.getByRole('button', { name: 'Save as view…' });
        await openedMenu(page);
        await becomes(() => saves.getAttribute('title'), 'There is no filter, order or choice of columns to save.');
        await storeViews(
          intercepted,
          ...Array.from({ length: 50 }, (_, index) => viewOf('sessions', `v${index}`, `V ${index}`, 'active=true')),
        );
        await page.goto(`${intercepted.dashboard.baseUrl}/identities?state=inactive&q=x`);
        await openedMenu(page);
        await becomes(
          () => saves.getAttribute('title'),
          'You have 50 views, as many as there can be. Delete one first.',
        );
        await viewsMenu(page).getByText('50 of 50 views').waitFor();
        await page.keyboard.press('Escape');
        await becomes(() => viewsMenu(page).count(), 0);
        await becomes(() => isFocused(viewsButton(page)), true);
      },
      { heading: 'Identities' },
    ));

  it('are counted when the menu opens, and not before', async () => {
    await storeViews(intercepted, viewOf('identities', 'a', 'Sleeping', 'q=sleeping'));
    await onPage(
      intercepted,
      '/identities?q=sleeping',
      async ({ page }) => {
        const counts: string[] = [];
        page.on('request', (request) => {
          const { pathname, search } = new URL(request.url());
          if (pathname === COUNT) counts.push(search);
        });
        await becomes(() => currentView(page).textContent(), 'Sleeping');
        assert.deepEqual(counts, []);
        const sleeping = page.getByRole('link', { name: /^Sleeping/ }).and(viewsMenu(page).getByRole('link'));
        await openedMenu(page);
        await becomes(() => sleeping.textContent(), 'Sleeping3');
        await becomes(() => counts.length, 6);
        await viewsButton(page).click();
        await becomes(() => viewsMenu(page).count(), 0);
        await openedMenu(page);
        await becomes(() => sleeping.textContent(), 'Sleeping3');
        assert.equal(counts.length, 6, 'at most once a minute');
      },
      { heading: 'Identities' },
    );
  });

  it('are in the palette by name, and Enter goes there', async () => {
    await storeViews(
      intercepted,
      viewOf('identities', 'a', 'Those who sleep', 'q=sleeping'),
      viewOf('audit', 'b', 'Sign-ins of today', 'action=login'),
    );
    const command = (page: Page, name: string): Locator => page.getByRole('option', { name });
    await onPage(intercepted, '/dashboard', async ({ page }) => {
      for (const [typed, name, address] of [
        ['without a ver', 'Without a verified address', '/identities?verified=no'],
        ['who sleep', 'Those who sleep', '/identities?q=sleeping'],
        ['of today', 'Sign-ins of today', '/security/audit?action=login'],
      ] as const) {
        await page.keyboard.press('Control+k');
        await page.getByPlaceholder('Page or action').fill(typed);
        await becomes(() => command(page, name).getAttribute('aria-selected'), 'true');
        await page.keyboard.press('Enter');
        await becomes(() => new URL(page.url()).pathname + query(page), address);
      }
    });
    await onPage(
      intercepted,
      '/dashboard',
      async ({ page }) => {
        await page.keyboard.press('Control+k');
        await page.getByPlaceholder('Page or action').fill('overview');
        await command(page, 'Overview').waitFor();
        await page.getByPlaceholder('Page or action').fill('inactive');
        await page.getByText('No results').waitFor();
      },
      { role: 'viewer' },
    );
  });

  it('stay on a screen of 390 pixels, with names of any length', async () => {
    await storeViews(intercepted, viewOf('identities', 'a', 'w'.repeat(60), 'q=sleeping'));
    await onPage(
      intercepted,
      '/identities?q=sleeping',
      async ({ page }) => {
        await becomes(() => currentView(page).textContent(), 'w'.repeat(60));
        const list = await openedMenu(page);
        await list.getByRole('link', { name: 'www' }).waitFor();
        for (const part of [list, viewsButton(page), currentView(page)]) {
          const { x = -1, width = 0 } = (await part.boundingBox()) ?? {};
          assert.ok(x >= 0 && x + width <= 390, `${x} + ${width}`);
        }
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
      },
      { heading: 'Identities', viewport: { width: 390, height: 844 } },
    );
  });
});
