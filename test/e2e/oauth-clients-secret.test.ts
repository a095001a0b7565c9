import assert from 'node:assert/strict';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import {
  CLIENTS,
  createClient,
  keptByBrowser,
  onClientPage,
  save,
  secretDialog,
  sentPatches,
  shownSecret,
  storedClient,
} from '../support/oauth-client-pages.ts';

describe('the secret of an OAuth2 client, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL', env: { PROXY_TIMEOUT_MS: '1000' } });

  /** Whether the OAuth server accepts the secret at its token endpoint. */
  async function works(id: string, secret: string): Promise<boolean> {
    const { OAUTH_URL } = intercepted.dashboard.sandbox.environment;
    const answer = await fetch(`${OAUTH_URL}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return answer.status === 200;
  }
  const machine = (more: object = {}) =>
    createClient(intercepted, { grant_types: ['client_credentials'], response_types: [], redirect_uris: [], ...more });

  async function openRotation({ page }: Pick<Visit, 'page'>, id: string) {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rotate the secret…' }).click();
    const dialog = page.getByRole('dialog', { name: /Rotate the secret of/ });
    await dialog.getByLabel(new RegExp(`^Type .* or ${id} to confirm`)).fill(id);
    return dialog;
  }

  /** Neither Esc, nor a click outside, nor Back closes the dialog. */
  async function assertCannotBeLost(page: Visit['page'], secret: string): Promise<void> {
    const dialog = secretDialog(page);
    const address = page.url();
    // The browser itself asks before leaving the app.
    page.on('dialog', (question) => void question.dismiss());
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 450);
    await page.evaluate(() => history.back());
    await page.keyboard.press('Control+k');
    await page.waitForTimeout(300);
    await page.keyboard.type('Delete');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
    await page.keyboard.press('Escape');
    await page.waitForTimeout(300);
    await becomes(() => dialog.locator('pre').nth(1).textContent(), secret);
    await becomes(() => page.url(), address);
    assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0);
    await becomes(() => dialog.getByRole('button', { name: 'Done' }).isDisabled(), true);
    assert.ok(
      await page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null),
      'focus stays in it',
    );
  }

  it('is shown once after creation, stays until it is acknowledged, and is kept nowhere', () =>
    onPage(
      intercepted,
      '/oauth/clients',
      async ({ page }) => {
        const printed: string[] = [];
        page.on('console', (message) => printed.push(message.text()));
        await page.getByRole('main').getByRole('link', { name: 'New client' }).click();
        await page.getByLabel('Machine to machine').check();
        await page.getByLabel('Client id').fill('made-here');
        await page.getByLabel('Name', { exact: true }).fill('Made here');
        await page.getByLabel('Scope').fill('invoices:read');
        await assertAccessible(page, 'the form of a new client');
        await page.getByRole('button', { name: 'Create' }).click();
        const secret = await shownSecret(page);
        assert.ok(secret.length >= 20);
        await assertAccessible(page, 'the secret of a new client');
        await assertCannotBeLost(page, secret);
        assert.ok(!(await keptByBrowser(page)).includes(secret));
        await page.getByLabel('I have stored the secret').check();
        await page.getByRole('button', { name: 'Done' }).click();
        await page.getByRole('heading', { level: 1, name: 'Made here' }).waitFor();
        await becomes(() => new URL(page.url()).pathname, '/oauth/clients/made-here');
        for (const tab of ['Configuration', 'For developers', 'JSON', 'Overview']) {
          await page.getByRole('navigation', { name: 'OAuth2 client' }).getByRole('link', { name: tab }).click();
          await page.waitForTimeout(100);
          assert.ok(!(await page.content()).includes(secret), tab);
        }
        await page.goBack();
        assert.ok(!(await page.content()).includes(secret));
        assert.ok(!(await keptByBrowser(page)).includes(secret));
        assert.ok(!printed.join('\n').includes(secret));
        assert.ok(!intercepted.dashboard.logged.join('\n').includes(secret), 'nor in the log');
        await becomes(() => works('made-here', secret), true);
        const { grant_types, token_endpoint_auth_method, scope } = await storedClient(intercepted, 'made-here');
        assert.deepEqual(
          [grant_types, token_endpoint_auth_method, scope],
          [['client_credentials'], 'client_secret_basic', 'invoices:read'],
        );
      },
      { heading: 'OAuth2 clients' },
    ));

  it('is rotated after its consequences were read and the id typed: the old one ends, the new one works', async () => {
    const client = await machine();
    await onClientPage(intercepted, client, async ({ page }) => {
      const printed: string[] = [];
      page.on('console', (message) => printed.push(message.text()));
      const dialog = await openRotation({ page }, client.client_id);
      await dialog.getByText('The old secret stops working at once').waitFor();
      await assertAccessible(page, 'the confirmation of a rotation');
      await dialog.getByRole('button', { name: 'Rotate the secret' }).click();
      const secret = await shownSecret(page);
      assert.match(secret, /^[\w-]{43}$/);
      assert.deepEqual(sentPatches(intercepted), [[{ op: 'replace', path: '/client_secret', value: secret }]]);
      await assertCannotBeLost(page, secret);
      assert.ok(!(await keptByBrowser(page)).includes(secret));
      assert.ok(!printed.join('\n').includes(secret));
      assert.ok(!intercepted.dashboard.logged.join('\n').includes(secret));
      await page.getByLabel('I have stored the secret').check();
      await page.getByRole('button', { name: 'Done' }).click();
      await secretDialog(page).waitFor({ state: 'detached' });
      assert.ok(!(await page.content()).includes(secret));
      await becomes(() => works(client.client_id, secret), true);
      await becomes(() => works(client.client_id, client.client_secret ?? ''), false);
    });
  });

  it('is rotated by the client’s name as well, and by nothing less', async () => {
    const client = await machine();
    await onClientPage(intercepted, client, async ({ page }) => {
      const dialog = await openRotation({ page }, client.client_id);
      const [field, rotate] = [dialog.getByRole('textbox'), dialog.getByRole('button', { name: 'Rotate the secret' })];
      for (const wrong of ['', client.client_name.slice(0, -1), `${client.client_name} or ${client.client_id}`]) {
        await field.fill(wrong);
        assert.ok(await rotate.isDisabled(), wrong);
      }
      await field.fill(client.client_name);
      await rotate.click();
      await shownSecret(page);
      await page.getByLabel('I have stored the secret').check();
      await page.getByRole('button', { name: 'Done' }).click();
    });
  });

  it('is rotated by keyboard alone', async () => {
    const client = await machine();
    await onClientPage(intercepted, client, async ({ page }) => {
      await page.getByRole('button', { name: 'More actions' }).focus();
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.activeElement?.textContent === 'Rotate the secret…');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: /Rotate the secret of/ }).waitFor();
      await page.keyboard.type(client.client_id);
      await page.keyboard.press('Enter');
      await shownSecret(page);
      await page.waitForFunction(() => (document.activeElement as HTMLInputElement | null)?.type === 'checkbox');
      await page.keyboard.press('Space');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await secretDialog(page).waitFor({ state: 'detached' });
      assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), 'BODY');
    });
  });

  it('is sent again, and not another one, when the answer to a rotation was lost; giving up still shows it', async () => {
    const client = await machine();
    await onClientPage(intercepted, client, async ({ page, expect }) => {
      expect(500, `${CLIENTS}/${client.client_id}`);
      expect(502, `${CLIENTS}/${client.client_id}`);
      intercepted.upstream.after = ({ method }) => (method === 'PATCH' ? 'lost' : undefined);
      const dialog = await openRotation({ page }, client.client_id);
      await dialog.getByRole('button', { name: 'Rotate the secret' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByRole('button', { name: 'Rotate the secret' }).click();
      await page.waitForTimeout(500);
      const [first, second] = sentPatches(intercepted);
      assert.ok(first && second);
      assert.deepEqual(second, first);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      const secret = await shownSecret(page);
      assert.equal(secret, first[0]?.value);
      await page.getByText('The OAuth server did not confirm it').waitFor();
      await becomes(() => works(client.client_id, secret), true, 'it is in force');
    });
  });

  it('is not shown where the server refused it', async () => {
    const client = await machine();
    await onClientPage(intercepted, client, async ({ page, expect }) => {
      expect(404, `${CLIENTS}/${client.client_id}`);
      intercepted.upstream.before = ({ method }) =>
        method === 'PATCH' ? { status: 404, body: '{"error":"Unable to locate the resource"}' } : undefined;
      const dialog = await openRotation({ page }, client.client_id);
      await dialog.getByRole('button', { name: 'Rotate the secret' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await secretDialog(page).count(), 0);
    });
  });

  it('cannot be rotated for a public client, nor for one with a key pair', async () => {
    const publicClient = await createClient(intercepted, { token_endpoint_auth_method: 'none' });
    await onClientPage(intercepted, publicClient, async ({ page }) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).waitFor();
      assert.equal(await page.getByRole('menuitem', { name: /Rotate/ }).count(), 0);
    });
  });

  it('is made in the same write when a public client becomes a confidential one', async () => {
    const client = await createClient(intercepted, { token_endpoint_auth_method: 'none' });
    await onClientPage(
      intercepted,
      client,
      async ({ page }) => {
        await page.getByLabel('Authentication at the token endpoint').selectOption('client_secret_post');
        intercepted.upstream.seen = [];
        await save(page);
        const secret = await shownSecret(page);
        assert.deepEqual(sentPatches(intercepted), [
          [
            { op: 'replace', path: '/token_endpoint_auth_method', value: 'client_secret_post' },
            { op: 'replace', path: '/client_secret', value: secret },
          ],
        ]);
        assert.ok(!(await keptByBrowser(page)).includes(secret));
        await page.getByLabel('I have stored the secret').check();
        await page.getByRole('button', { name: 'Done' }).click();
        await page.getByText('Confidential').waitFor();
      },
      { tab: '/edit' },
    );
  });

  it('may be lost with the response to a creation, and the page says so', () =>
    onPage(
      intercepted,
      '/oauth/clients/new?kind=web',
      async ({ page, expect }) => {
        expect(500, CLIENTS);
        expect(502, CLIENTS);
        intercepted.upstream.after = ({ method }) => (method === 'POST' ? 'lost' : undefined);
        await page.getByLabel('Redirect addresses').fill('https://lost.example/cb');
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByText('The client may have been created').waitFor();
        assert.equal(await secretDialog(page).count(), 0);
        await becomes(() => page.getByLabel('Redirect addresses').inputValue(), 'https://lost.example/cb');
      },
      { heading: 'New OAuth2 client' },
    ));
});
