import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { requestClient, storedByBrowser, storedClient } from '../support/oauth-client-pages.ts';

describe('the secret of an OAuth2 client', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL' });

  /** Whether the OAuth server accepts the secret at its token endpoint. */
  async function works(id: string, secret: string): Promise<boolean> {
    const { OAUTH_URL } = intercepted.dashboard.sandbox.environment;
    const response = await fetch(`${OAUTH_URL}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return response.status === 200;
  }

  const secretDialog = (page: Page): Locator => page.getByRole('dialog', { name: /secret/i });

  /** Asserts that neither Escape, nor a click outside, nor Back, nor the palette closes the dialog. */
  async function assertCannotBeLost(page: Page, secret: string): Promise<void> {
    const dialog = secretDialog(page);
    const address = page.url();
    // The browser itself prompts before leaving the app.
    page.on('dialog', (dialog) => void dialog.dismiss());
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 450);
    await page.evaluate(() => history.back());
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Delete');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await eventually(() => dialog.locator('pre').nth(1).textContent(), secret);
    await eventually(() => page.url(), address);
    assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0);
    assert.equal(await page.getByPlaceholder('Page or action').count(), 0);
    await eventually(() => dialog.getByRole('button', { name: 'Done' }).isDisabled(), true);
    await eventually(() => page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null), true);
  }

  /** Asserts that the secret is not in the page, the browser's storage, its console or the dashboard's log. */
  async function assertGone(page: Page, secret: string, printed: readonly string[]): Promise<void> {
    assert.ok(!(await page.content()).includes(secret), 'in the page');
    await assertNotStored(page, secret, printed);
  }
  async function assertNotStored(page: Page, secret: string, printed: readonly string[]): Promise<void> {
    assert.ok(!(await storedByBrowser(page)).includes(secret), 'stored by the browser');
    assert.ok(!printed.join('\n').includes(secret), 'on the console');
    assert.ok(!intercepted.dashboard.logged.join('\n').includes(secret), 'in the log');
  }
  it('is displayed once, until it is confirmed as stored, and is never logged or stored in the browser', () =>
    onPage(intercepted, { path: '/oauth/clients', heading: 'Clients' }, async ({ page, context, problems }) => {
      const printed: string[] = [];
      page.on('console', (message) => printed.push(message.text()));
      await page.getByRole('main').getByRole('link', { name: 'New client' }).click();
      await page.getByLabel('Machine to machine').check();
      await page.getByLabel('Client ID').fill('made-here');
      await page.getByLabel('Name', { exact: true }).fill('Made here');
      await page.getByLabel('Scope').fill('invoices:read');
      // A client must not be created if its secret cannot be displayed.
      await context.route(/overlays/, (route) => route.abort());
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('Part of this page could not be loaded').waitFor();
      assert.equal((await requestClient(intercepted, 'made-here')).status, 404);
      await context.unroute(/overlays/);
      problems.length = 0;
      await page.getByRole('button', { name: 'Create' }).click();
      await secretDialog(page).filter({ hasText: 'I have stored the secret' }).waitFor();
      const secret = (await secretDialog(page).locator('pre').nth(1).textContent()) ?? '';
      assert.ok(secret.length >= 20);
      await assertCannotBeLost(page, secret);
      await assertNotStored(page, secret, printed);
      await page.getByLabel('I have stored the secret').check();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { level: 1, name: 'Made here' }).waitFor();
      await eventually(() => new URL(page.url()).pathname, '/oauth/clients/made-here');
      const tabs = page.getByRole('navigation', { name: 'Client' });
      for (const tab of ['Configuration', 'For developers', 'JSON', 'Overview']) {
        await tabs.getByRole('link', { name: tab }).click();
        await tabs.locator('[aria-current=page]', { hasText: tab }).waitFor();
        await assertGone(page, secret, printed);
      }
      await page.goBack();
      await tabs.locator('[aria-current=page]', { hasText: 'JSON' }).waitFor();
      await assertGone(page, secret, printed);
      await eventually(() => works('made-here', secret), true);
      const { grant_types, token_endpoint_auth_method, scope } = await storedClient(intercepted, 'made-here');
      assert.deepEqual(
        [grant_types, token_endpoint_auth_method, scope],
        [['client_credentials'], 'client_secret_basic', 'invoices:read'],
      );
    }));
});
