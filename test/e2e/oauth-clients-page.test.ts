import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { CLIENTS, createClient, onClientPage, patchStored } from '../support/oauth-client-pages.ts';
import { choice, kindsOf, lines } from '../support/timeline-pages.ts';

describe('an OAuth2 client, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL', env: { PROXY_TIMEOUT_MS: '1000' } });

  for (const tab of ['', '/configuration', '/developer', '/json', '/edit'])
    it(`is accessible in all colours and widths: ${tab || 'overview'}`, async () => {
      const client = await createClient(intercepted, {
        grant_types: ['implicit'],
        audience: ['https://api.example'],
      });
      await onClientPage(
        intercepted,
        client,
        async ({ page }) => {
          await page.getByRole('region').or(page.locator('form')).or(page.locator('section')).first().waitFor();
          await assertAccessibleInAllLooks(page, `the client${tab}`);
        },
        { tab },
      );
    });

  for (const [what, segment] of [
    ['is unknown', 'nobody'],
    ['does not decode', '~%25'],
    ['no address can name', `~${Buffer.from('..').toString('base64url')}`],
  ])
    it(`is not there, which is said, where its id ${what}`, () =>
      onPage(intercepted, '/oauth/clients', async ({ page, expect }) => {
        expect(404, `${CLIENTS}/nobody`);
        await page.getByText('Page 1').waitFor();
        intercepted.upstream.seen = [];
        await page.goto(`${intercepted.dashboard.baseUrl}/oauth/clients/${segment}`);
        await page.getByText('OAuth2 client not found').waitFor();
        assert.ok(intercepted.upstream.seen.every(({ path }) => path === '/admin/clients/nobody'));
      }));

  it('shows when the server failed, with a retry', async () => {
    const client = await createClient(intercepted);
    await onPage(intercepted, '/oauth/clients', async ({ page, expect }) => {
      expect(500, `${CLIENTS}/${client.client_id}`);
      intercepted.upstream.before = ({ path }) =>
        path.endsWith(client.client_id) ? { status: 500, body: '{"error":"error"}' } : undefined;
      await page.getByRole('link', { name: client.client_name, exact: true }).click();
      await page.getByRole('alert').waitFor();
      intercepted.upstream.before = () => undefined;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { level: 1, name: client.client_name }).waitFor();
    });
  });

  it('of another version of the server shows members that nobody here knows, and survives odd ones', async () => {
    await onPage(intercepted, '/oauth/clients', async ({ page }) => {
      intercepted.upstream.before = ({ path }) =>
        path.endsWith('/odd')
          ? {
              status: 200,
              body: JSON.stringify({
                client_id: 'odd',
                client_name: { deep: true },
                redirect_uris: 'x',
                jwks: 5,
                client_secret: 'leaked-secret',
                of_a_later_version: { on: true },
              }),
            }
          : undefined;
      await page.evaluate(() => history.pushState({}, '', '/oauth/clients/odd/configuration'));
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'odd' }).waitFor();
      await page.getByText('of_a_later_version').waitFor();
      assert.ok(!(await page.content()).includes('leaked-secret'));
    });
  });

  it('is explained to its developer, as far as possible also where discovery fails', async () => {
    const client = await createClient(intercepted);
    await onClientPage(
      intercepted,
      client,
      async ({ page, expect }) => {
        const settings = await page.getByRole('group', { name: 'OpenID Connect settings' }).textContent();
        const { issuer, client_id } = JSON.parse(settings ?? '') as Record<string, string>;
        assert.equal(client_id, client.client_id);
        assert.ok(issuer?.startsWith('http'));
        const command = await page.getByRole('group', { name: 'Copy to another server' }).textContent();
        assert.match(command ?? '', /^curl .*--request POST/);
        expect(502, '/api/oauth/.well-known/openid-configuration');
        await page.route('**/.well-known/openid-configuration', (route) => route.fulfill({ status: 502, json: {} }));
        await page.reload();
        await page.getByText('The OpenID configuration is unavailable').waitFor();
        await page.getByRole('group', { name: 'Copy to another server' }).waitFor();
      },
      { tab: '/developer' },
    );
  });

  it('has a timeline, with who did what, the latest first', async () => {
    const client = await createClient(intercepted, { client_id: 'https://history.example/a' });
    await patchStored(intercepted, client.client_id, [{ op: 'replace', path: '/owner', value: 'new' }]);
    const segment = `~${Buffer.from(client.client_id).toString('base64url')}`;
    await onPage(intercepted, `/oauth/clients/${segment}/history`, async ({ page }) => {
      await lines(page).getByText('You changed the owner of').waitFor();
      await lines(page).getByText('You created').waitFor();
      await lines(page).getByText('The client was created').waitFor();
      await assertAccessibleInAllLooks(page, 'the timeline of a client');
      await choice(page, 'Changes here').press('Enter');
      await becomes(() => kindsOf(page), ['trail', 'trail']);
      assert.equal(new URL(page.url()).search, '?kind=trail');
      await lines(page)
        .first()
        .getByRole('link', { name: /^Record/ })
        .press('Enter');
      await page.getByText('You changed the owner of').waitFor();
    });
  });
});
