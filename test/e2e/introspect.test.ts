import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { createClient, storedByBrowser } from '../support/oauth-client-pages.ts';

describe('the introspection page', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL' });

  /** A token of the client credentials grant. */
  async function machineToken(): Promise<{ id: string; token: string }> {
    const { client_id: id, client_secret } = await createClient(intercepted, {
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      scope: 'a b',
    });
    const response = await fetch(`${intercepted.dashboard.sandbox.environment.OAUTH_URL}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${client_secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'a' }),
    });
    return { id, token: ((await response.json()) as { access_token: string }).access_token };
  }

  it('describes a token, revokes it, and stores it nowhere', async () => {
    const { id, token } = await machineToken();
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
