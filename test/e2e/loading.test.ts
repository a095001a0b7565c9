import assert from 'node:assert/strict';
import type { BrowserContext } from 'playwright-core';
import type { Visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { searchField } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the app', () => {
  const suite = interceptedDashboardOfSuite({ people: 20 });

  it('requests a list’s data before the script of its page has loaded, and displays a skeleton until then', () =>
    onPage(suite, '/signed-out', async ({ page, context }) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await context.route(/\/assets\/identities-page.*\.js$/, (route) => released.then(() => route.continue()));
      await page.addInitScript(() => {
        const order: string[] = [];
        Object.assign(globalThis, { order });
        const original = fetch;
        globalThis.fetch = (...args) => {
          order.push(new URL(String(args[0]), location.href).pathname);
          return original(...args);
        };
        const rendered = new MutationObserver(() => order.push('rendered'));
        new MutationObserver((_, observer) => {
          const rows = document.querySelectorAll('tr[data-row]').length;
          if (rows > 0) observer.disconnect();
          if (rows > 0) order.push(`${rows} rows`);
        }).observe(document, { childList: true, subtree: true });
        // Only what the app renders is observed: the HTML has a skeleton of its own.
        document.addEventListener('readystatechange', () => {
          const root = document.getElementById('root');
          if (document.readyState === 'interactive' && root !== null) rendered.observe(root, { childList: true });
        });
      });
      await page.goto(`${suite.dashboard.baseUrl}/identities`, { waitUntil: 'commit' });
      const busy = page.locator('[aria-busy=true]');
      await busy.first().waitFor();
      release();
      await page.locator('tr[data-row]').first().waitFor();
      await eventually(() => busy.count(), 0);
      const order = await page.evaluate(() => (globalThis as unknown as { order: string[] }).order);
      const first = order.slice(0, order.indexOf('rendered'));
      assert.ok(
        ['/api/auth/session', '/api/identities/search'].every((path) => first.includes(path)),
        order.join(),
      );
      assert.ok(order.includes('5 rows'), order.join());
      await eventually(() => page.locator('tr[data-row]').count(), 22);
    }));

  /** Simulates a new release: all files of the app have new names, and the old ones are gone. */
  const release = (context: BrowserContext): Promise<unknown> => {
    const renamed = (text: string): string => text.replaceAll(/([\w-]{8})\.(js|css)\b/g, '$1.next.$2');
    return context.route(/\/(?:assets\/.*|identities(?:\/new)?(?:\?.*)?)$/, async (route) => {
      const url = route.request().url();
      if (url.includes('/assets/') && !url.includes('.next.')) return route.fulfill({ status: 404, body: '' });
      const response = await route.fetch({ url: url.replace('.next.', '.') });
      return route.fulfill({ response, body: renamed(await response.text()) });
    });
  };
  const NEWER = 'A new version is available';

  it('offers to reload after a new release, and restores the page and its draft', () =>
    onPage(suite, '/signed-out', async ({ page, context, expect }) => {
      expect(404, /^\/assets\//);
      await page.goto(`${suite.dashboard.baseUrl}/identities/new?schema=customer`);
      await page.getByLabel('External ID').fill('crm-1');
      await release(context);
      const openShortcuts = (): Promise<void> => page.getByRole('heading', { level: 1 }).press('?');
      await openShortcuts();
      await page.getByText(NEWER).waitFor();
      await eventually(() => page.getByLabel('External ID').inputValue(), 'crm-1');
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByText('Your unsaved changes were restored').waitFor();
      await eventually(() => page.getByLabel('External ID').inputValue(), 'crm-1');
      await openShortcuts();
      await page.getByRole('dialog').waitFor();
    }));

  it('offers to reload if a dialog cannot be loaded after a new release, and restores the search', () =>
    onPage(suite, '/identities', async ({ page, context, expect }) => {
      expect(404, /^\/assets\//);
      await searchField(page).fill('viewer');
      await page.keyboard.press('Enter');
      await page.waitForURL(/q=viewer/);
      await page.getByText(/identit(y matches|ies match)/).waitFor();
      await page.locator('tr[data-row]').first().focus();
      await page.keyboard.press('x');
      await release(context);
      await page.getByRole('button', { name: 'Deactivate' }).click();
      await page.getByText(NEWER).waitFor();
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByText(NEWER).waitFor({ state: 'detached' });
      await eventually(() => searchField(page).inputValue(), 'viewer');
    }));

  it('ignores shortcuts typed while the palette loads, and loses no key once it has loaded', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const prepare = ({ context }: Visit) =>
      context.route(/\/assets\/palette.*\.js/, (route) => released.then(() => route.continue()));
    await onPage(suite, { path: '/dashboard', heading: 'Overview', prepare }, async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('gs?');
      release();
      const field = page.getByPlaceholder('Page or action');
      await field.waitFor();
      await page.keyboard.press('Escape');
      await field.waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await page.keyboard.type('gsys?');
      await eventually(() => field.inputValue(), 'gsys?');
      assert.equal(new URL(page.url()).pathname, '/dashboard');
    });
  });

  it('keeps the navigation if part of a page fails to load, and loads that part on a retry or once online again', () =>
    onPage(suite, '/dashboard', async ({ page, context, problems }) => {
      await context.route(/\/assets\/.*|\/system$/, (route) => route.abort());
      await page.getByRole('link', { name: 'System', exact: true }).first().click();
      await page.getByText('Part of this page could not be loaded').waitFor();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await context.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('/api/oauth-admin').waitFor();
      await context.setOffline(true);
      await page.getByRole('link', { name: 'Introspect' }).click();
      await page.getByText('Part of this page could not be loaded').waitFor();
      // Right after a reconnect, the first request often fails as well.
      await context.route(/\/assets\//, (route) => route.abort(), { times: 1 });
      await context.setOffline(false);
      await page.getByLabel('Token', { exact: true }).waitFor();
      const isExpected = (problem: string): boolean => /net::ERR_(?:FAILED|INTERNET_DISCONNECTED)/.test(problem);
      problems.splice(0, problems.length, ...problems.filter((problem) => !isExpected(problem)));
    }));
});
