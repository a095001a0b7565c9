import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { createClient, requestClient, save, storedByBrowser, storedClient } from '../support/oauth-client-pages.ts';

describe('OAuth2 clients', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL' });

  it('can be opened, edited, reloaded and deleted even if their id is a URL', async () => {
    const id = 'https://app.example/client?a=b;c#d%2F';
    await createClient(intercepted, { client_id: id, client_name: 'By address' });
    const address = `/oauth/clients/~${Buffer.from(id).toString('base64url')}`;
    await onPage(intercepted, { path: address, heading: 'By address' }, async ({ page }) => {
      await page.getByRole('main').getByRole('link', { name: 'Edit' }).click();
      await page.getByLabel('Owner').fill('me');
      await save(page);
      await page.getByText('Owned by me').waitFor();
      await eventually(() => new URL(page.url()).pathname, address);
      await page.reload();
      await page.getByText('Owned by me').waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete client…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete By address?' });
      await dialog.getByText('Applications can no longer sign anyone in').waitFor();
      await dialog.getByLabel('to confirm').fill(id);
      await dialog.getByRole('button', { name: 'Delete client' }).click();
      await page.getByRole('heading', { level: 1, name: 'Clients' }).waitFor();
      await page.getByText('Deleted By address', { exact: true }).waitFor();
    });
    await eventually(async () => (await requestClient(intercepted, id)).status, 404);
  });

  /** Requests a token by the client credentials grant. */
  const requestToken = (id: string, secret: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(`${intercepted.dashboard.sandbox.environment.OAUTH_URL}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...more }),
    });
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
  it('have a secret that is displayed once, until it is confirmed as stored, and is never logged or stored in the browser', () =>
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
      await eventually(async () => (await requestToken('made-here', secret)).status, 200);
      const { grant_types, token_endpoint_auth_method, scope } = await storedClient(intercepted, 'made-here');
      assert.deepEqual(
        [grant_types, token_endpoint_auth_method, scope],
        [['client_credentials'], 'client_secret_basic', 'invoices:read'],
      );
    }));

  it('have tokens that the introspection page describes, revokes and stores nowhere', async () => {
    const { client_id: id, client_secret = '' } = await createClient(intercepted, {
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      scope: 'a b',
    });
    const response = await requestToken(id, client_secret, { scope: 'a' });
    const { access_token: token } = (await response.json()) as { access_token: string };
    await onPage(intercepted, { path: '/oauth/introspect', heading: 'Introspect' }, async ({ page }) => {
      const printed: string[] = [];
      page.on('console', (message) => printed.push(message.text()));
      const field = page.getByLabel('Token', { exact: true });
      const textSecurity = () =>
        field.evaluate((element) => getComputedStyle(element).getPropertyValue('-webkit-text-security'));
      await eventually(textSecurity, 'disc');
      await page.getByRole('button', { name: 'Show text' }).click();
      await eventually(textSecurity, 'none');
      await field.fill(`Authorization: Bearer ${token}`);
      await page.getByRole('button', { name: 'Introspect' }).click();
      await page.getByText('This token is valid.').waitFor();
      await page.getByText('Access token', { exact: true }).waitFor();
      await page.getByRole('link', { name: new RegExp(id) }).waitFor();
      assert.ok(!(await storedByBrowser(page)).includes(token));
      await page.getByText('Only the application itself can revoke a single token').waitFor();
      await page.getByRole('button', { name: 'Revoke all access tokens…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Details').click();
      await dialog.getByText('Refresh tokens remain valid').waitFor();
      await dialog.getByRole('button', { name: 'Revoke all access tokens' }).click();
      await page.getByText('This token is not valid.').waitFor();
      await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'status');
      await page.getByRole('button', { name: 'Clear' }).click();
      await eventually(() => field.inputValue(), '');
      assert.ok(!(await page.content()).includes(token));
      assert.ok(!(await storedByBrowser(page)).includes(token));
      assert.ok(!printed.join('\n').includes(token));
    });
    assert.ok(!intercepted.upstream.requests.some(({ path }) => path.includes(token)), 'the token is in an address');
    assert.ok(!intercepted.dashboard.logged.join('\n').includes(token), 'the token is in the log');
  });
});
