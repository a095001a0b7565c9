import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { createClient, keptByBrowser } from '../support/oauth-client-pages.ts';

describe('introspection of a token, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL', env: { PROXY_TIMEOUT_MS: '1000' } });
  const introspecting = (work: (visit: Visit) => Promise<void>, looks = {}): Promise<void> =>
    onPage(intercepted, '/oauth/introspect', work, { heading: 'Introspect', ...looks });

  /** A real token of a client acting on its own behalf. */
  async function machineToken(): Promise<{ id: string; token: string }> {
    const { client_id: id, client_secret } = await createClient(intercepted, {
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      scope: 'a b',
    });
    const answer = await fetch(`${intercepted.dashboard.sandbox.environment.OAUTH_URL}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${client_secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'a' }),
    });
    const { access_token } = (await answer.json()) as { access_token: string };
    return { id, token: access_token };
  }
  async function ask(page: Page, token: string): Promise<void> {
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByRole('button', { name: 'Introspect' }).click();
  }

  it('describes a token, ends it as far as possible, and stores it nowhere', async () => {
    const { id, token } = await machineToken();
    await introspecting(async ({ page }) => {
      const printed: string[] = [];
      page.on('console', (message) => printed.push(message.text()));
      const covered = () =>
        page
          .getByLabel('Token', { exact: true })
          .evaluate((field) => getComputedStyle(field).getPropertyValue('-webkit-text-security'));
      await becomes(() => covered(), 'disc');
      await page.getByRole('button', { name: 'Show text' }).click();
      await becomes(() => covered(), 'none');
      await ask(page, `Authorization: Bearer ${token}`);
      await page.getByText('This token is valid.').waitFor();
      await page.getByText('Access token', { exact: true }).waitFor();
      await page.getByRole('link', { name: new RegExp(id) }).waitFor();
      await assertAccessible(page, 'an introspected token');
      assert.ok(!(await keptByBrowser(page)).includes(token));
      await page.getByText('Only the application itself can revoke a single token').waitFor();
      await page.getByRole('button', { name: 'End all access tokens of this client…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Refresh tokens remain valid').waitFor();
      await dialog.getByRole('button', { name: 'End access tokens' }).click();
      await page.getByText('This token is not valid.').waitFor();
      await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'status');
      await page.getByRole('button', { name: 'Clear' }).click();
      await becomes(() => page.getByLabel('Token', { exact: true }).inputValue(), '');
      assert.ok(!(await page.content()).includes(token));
      assert.ok(!(await keptByBrowser(page)).includes(token));
      assert.ok(!printed.join('\n').includes(token));
    });
    assert.ok(!intercepted.upstream.seen.some(({ path }) => path.includes(token)), 'never in an address');
    assert.ok(!intercepted.dashboard.logged.join('\n').includes(token), 'nor in the log');
  });

  it('revokes a token of a public client in its name, looks again, and says so when it lives on', async () => {
    const { client_id } = await createClient(intercepted, { token_endpoint_auth_method: 'none' });
    await introspecting(async ({ page }) => {
      let active = true;
      const revoked: string[] = [];
      page.on('request', (request) => {
        if (new URL(request.url()).pathname === '/api/oauth/oauth2/revoke') revoked.push(request.postData() ?? '');
      });
      intercepted.upstream.before = ({ path }) =>
        path === '/admin/oauth2/introspect'
          ? {
              status: 200,
              body: JSON.stringify(active ? { active, client_id, sub: 'x', token_use: 'refresh_token' } : { active }),
            }
          : undefined;
      await ask(page, 'ory_rt_public');
      await page.getByText('Refresh token', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Revoke this token…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await dialog.getByText('the token is still valid').waitFor();
      active = false;
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('This token is not valid.').waitFor();
      assert.deepEqual(revoked, Array(2).fill(`token=ory_rt_public&client_id=${client_id}`));
    });
  });

  it("revokes the person's consents where the client has a secret", async () => {
    const { client_id } = await createClient(intercepted);
    await introspecting(async ({ page }) => {
      let active = true;
      intercepted.upstream.before = ({ method, path }) => {
        if (method === 'DELETE') active = false;
        return path === '/admin/oauth2/introspect'
          ? {
              status: 200,
              body: JSON.stringify(active ? { active, client_id, sub: 'a person', exp: 'never' } : { active }),
            }
          : undefined;
      };
      await ask(page, 'ory_at_confidential');
      const consents = page.getByRole('link', { name: 'See the consents' });
      await becomes(
        () => consents.getAttribute('href'),
        new RegExp(`consents\\?subject=a\\+person&client=${client_id}$`),
      );
      await page.getByRole('button', { name: 'Revoke the consents…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('This token is not valid.').waitFor();
    });
    await becomes(
      () => intercepted.upstream.seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path),
      [`/admin/oauth2/auth/sessions/consent?subject=a+person&client=${client_id}`],
    );
  });

  for (const [circumstance, answer, status] of [
    ['fails', { status: 500, body: '{"error":"error"}' }, 500],
    ['is silent', 'silence', 504],
    ['answers nonsense', { status: 200, body: '[]' }, 200],
  ] as const)
    it(`says so and keeps what was pasted where the server ${circumstance}`, () =>
      introspecting(async ({ page, expect }) => {
        expect(status, '/api/oauth-admin/admin/oauth2/introspect');
        intercepted.upstream.before = () => ({ status: 200, body: '{"active":true}' });
        await ask(page, 'ory_at_another');
        await page.getByText('This token is valid.').waitFor();
        intercepted.upstream.before = () => answer;
        await ask(page, 'ory_at_some');
        await page.getByRole('alert').waitFor();
        assert.equal(await page.getByText('This token is valid.').count(), 0, 'that was said of another one');
        await becomes(() => page.getByLabel('Token', { exact: true }).inputValue(), 'ory_at_some');
      }));

  it('says what it can where the client cannot be read and members are odd', () =>
    introspecting(async ({ page, expect }) => {
      expect(500, /^\/api\/oauth-admin\/admin\/clients\//);
      const answer = {
        active: true,
        client_id: 'shop\u202egnp',
        sub: 'a\u202eb',
        exp: 1e300,
        iat: 'yesterday',
        aud: ['https://one.example', 2],
        ext: { plan: 'gold' },
      };
      intercepted.upstream.before = ({ path }) =>
        path.endsWith('/introspect') ? { status: 200, body: JSON.stringify(answer) } : { status: 500, body: '{}' };
      await ask(page, 'ory_at_odd');
      await page.getByText('This token is valid.').waitFor();
      await page.getByText('https://one.example, 2').waitFor();
      await page.getByText('"plan": "gold"').waitFor();
      await page.getByRole('button', { name: 'Revoke the consents…' }).waitFor();
      await page.getByRole('link', { name: 'shop⟨U+202E⟩gnp', exact: true }).waitFor();
      assert.equal(await page.getByText('Expires').count(), 0, 'a number that is no time');
      assert.equal(await page.getByText('Issued', { exact: true }).count(), 0);
      assert.equal(await page.evaluate(() => document.body.innerText.includes('\u202e')), false);
      assert.equal(await page.getByRole('alert').count(), 0);
    }));

  it('says that the session has ended, and nothing of the token, where it ends in between', () =>
    introspecting(async ({ page, context, expect }) => {
      expect(401, /^\/api\/oauth-admin\/admin\/clients\//);
      const body = { error: 'not_authenticated', message: 'Authentication required.' };
      await context.route('**/api/oauth-admin/admin/clients/**', (route) => route.fulfill({ status: 401, json: body }));
      intercepted.upstream.before = () => ({ status: 200, body: '{"active":true,"client_id":"app"}' });
      await ask(page, 'ory_at_some');
      await page.getByText('Failed: your session has ended').waitFor();
      assert.equal(await page.getByText('This token is valid.').count(), 0);
    }));

  it('is closed to a viewer', () =>
    introspecting(
      async ({ page }) => {
        await page.getByText('Admin access required.').waitFor();
        assert.equal(await page.getByLabel('Token').count(), 0);
      },
      { role: 'viewer' },
    ));
});
