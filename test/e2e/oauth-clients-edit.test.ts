import assert from 'node:assert/strict';
import { assertAccessible, assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import {
  CLIENTS,
  createClient,
  onClientPage,
  patchStored,
  readStored,
  type StoredClient,
  save,
  secretDialog,
  sentPatches,
  shownSecret,
  storedClient,
} from '../support/oauth-client-pages.ts';

describe('an OAuth2 client, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL', env: { PROXY_TIMEOUT_MS: '1000' } });
  const editing = (client: StoredClient, work: (visit: Visit) => Promise<void>, looks = {}): Promise<void> =>
    onClientPage(
      intercepted,
      client,
      async (visit) => {
        await visit.page.getByLabel('Name', { exact: true }).waitFor();
        await work(visit);
      },
      { tab: '/edit', ...looks },
    );

  it('is written only where it was changed; what nobody here knows stays', async () => {
    const client = await createClient(intercepted, { skip_consent: true, contacts: ['a@example.org'] });
    const before = await storedClient(intercepted, client.client_id);
    await editing(client, async ({ page }) => {
      await page.getByLabel('Name', { exact: true }).fill('Renamed');
      await page.getByLabel('Redirect addresses').fill('https://client.example/cb\nhttps://client.example/2\n');
      await page.getByLabel('Client credentials', { exact: true }).check();
      await page.getByLabel('Refresh token: refresh token').fill('');
      await page.getByLabel('Client credentials: access token').fill('90m');
      intercepted.upstream.seen = [];
      await save(page);
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
    });
    assert.deepEqual(sentPatches(intercepted), [
      [
        { op: 'replace', path: '/client_name', value: 'Renamed' },
        { op: 'replace', path: '/redirect_uris', value: ['https://client.example/cb', 'https://client.example/2'] },
        { op: 'replace', path: '/grant_types', value: ['authorization_code', 'client_credentials'] },
        { op: 'replace', path: '/refresh_token_grant_refresh_token_lifespan', value: null },
        { op: 'replace', path: '/client_credentials_grant_access_token_lifespan', value: '90m' },
      ],
    ]);
    const { updated_at: _then, ...kept } = before;
    const { updated_at: _now, ...after } = await storedClient(intercepted, client.client_id);
    assert.deepEqual(after, {
      ...kept,
      client_name: 'Renamed',
      redirect_uris: ['https://client.example/cb', 'https://client.example/2'],
      grant_types: ['authorization_code', 'client_credentials'],
      refresh_token_grant_refresh_token_lifespan: null,
      client_credentials_grant_access_token_lifespan: '1h30m0s',
    });
  });

  const deleteStored = async ({ client_id }: StoredClient): Promise<void> => {
    const path = `${CLIENTS}/${client_id}`;
    const answer = await intercepted.dashboard.call(path, { session: intercepted.sessions.admin, method: 'DELETE' });
    assert.equal(answer.status, 204);
  };
  const posted = (): { client_id?: string; client_name?: string }[] =>
    intercepted.upstream.seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

  it('that somebody deleted while its form was open is made again from the form, with a secret that is shown once', async () => {
    const client = await createClient(intercepted, { skip_consent: true });
    await editing(client, async ({ page, expect }) => {
      expect(404, `${CLIENTS}/${client.client_id}`);
      await page.getByLabel('Name', { exact: true }).fill('Made again');
      await deleteStored(client);
      intercepted.upstream.seen = [];
      // The second click of a double click creates nothing.
      await page.getByRole('button', { name: 'Save', exact: true }).dblclick();
      const notice = page.getByRole('alert').filter({ hasText: 'Somebody deleted this client' });
      await notice.waitFor();
      await becomes(() => notice.evaluate((one) => one === document.activeElement), true);
      await becomes(() => page.getByLabel('Name', { exact: true }).inputValue(), 'Made again');
      await assertAccessibleInAllLooks(page, 'the form of a client that is gone');
      await page.getByLabel('Name', { exact: true }).press('Enter');
      assert.deepEqual(posted(), []);
      await page.keyboard.press('Escape');
      await notice.getByRole('button', { name: 'Create it again' }).click();
      const secret = await shownSecret(page);
      assert.notEqual(secret, client.client_secret);
      await page.getByLabel('I have stored the secret').check();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('heading', { level: 1, name: 'Made again' }).waitFor();
      await becomes(() => new URL(page.url()).pathname, `/oauth/clients/${client.client_id}`);
      assert.ok(!(await page.content()).includes(secret));
      assert.deepEqual(
        posted().map(({ client_id }) => client_id),
        [client.client_id],
      );
    });
    const { client_name, skip_consent, metadata, redirect_uris } = await storedClient(intercepted, client.client_id);
    assert.deepEqual([client_name, skip_consent], ['Made again', true]);
    assert.deepEqual([metadata, redirect_uris], [client.metadata, client.redirect_uris]);
  });

  it('that was deleted and needs no secret is created again without one; one that exists again is not overwritten', async () => {
    const client = await createClient(intercepted, { token_endpoint_auth_method: 'none' });
    await editing(client, async ({ page, expect }) => {
      expect(404, `${CLIENTS}/${client.client_id}`);
      expect(409, CLIENTS);
      await page.getByLabel('Name', { exact: true }).fill('Made again');
      await deleteStored(client);
      await save(page);
      const again = page.getByRole('button', { name: 'Create it again' });
      await again.waitFor();
      await createClient(intercepted, { client_id: client.client_id, client_name: 'Somebody else’s' });
      await again.click();
      await page.getByText('Taken by another client').waitFor();
      await becomes(() => page.getByLabel('Name', { exact: true }).inputValue(), 'Made again');
      await deleteStored(client);
      await again.click();
      await page.getByRole('heading', { level: 1, name: 'Made again' }).waitFor();
      assert.equal(await secretDialog(page).count(), 0);
    });
  });

  it('is edited as JSON as well, refuses a typed secret, and asks before it is left', async () => {
    const client = await createClient(intercepted);
    await editing(client, async ({ page }) => {
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      const field = page.getByLabel('Client as JSON');
      const members = JSON.parse(await field.inputValue()) as Record<string, unknown>;
      assert.equal(members.client_id, undefined);
      await field.fill('{');
      await becomes(() => page.getByRole('button', { name: 'Form', exact: true }).isDisabled(), true);
      await field.fill(JSON.stringify({ ...members, client_secret: 'typed-by-hand' }));
      intercepted.upstream.seen = [];
      await save(page);
      await page.getByText('A secret cannot be entered here').first().waitFor();
      await becomes(() => intercepted.upstream.seen, []);
      await field.fill(JSON.stringify({ ...members, owner: undefined, metadata: { kept: [] } }));
      await page.getByRole('main').getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('button', { name: 'Stay' }).first().click();
      await save(page);
      await page.getByText('Saved', { exact: true }).waitFor();
    });
    assert.deepEqual(sentPatches(intercepted), [
      [
        { op: 'replace', path: '/owner', value: '' },
        { op: 'replace', path: '/metadata', value: { kept: [] } },
      ],
    ]);
  });

  it('shows both versions when somebody else changed it meanwhile, and keeps both where they differ', async () => {
    const client = await createClient(intercepted);
    await editing(client, async ({ page }) => {
      await page.getByLabel('Name', { exact: true }).fill('Mine');
      await page.getByLabel('Scope').fill('openid email');
      await patchStored(intercepted, client.client_id, [
        { op: 'replace', path: '/client_name', value: 'Theirs' },
        { op: 'replace', path: '/metadata/kept', value: 'changed' },
      ]);
      intercepted.upstream.seen = [];
      await save(page);
      const dialog = page.getByRole('dialog', { name: 'Somebody else changed this client' });
      await dialog.getByRole('group', { name: 'client_name' }).waitFor();
      await dialog.getByText('metadata.kept').waitFor();
      await assertAccessible(page, 'the two versions of a client');
      assert.deepEqual(sentPatches(intercepted), [], 'nothing is written before the choice');
      await dialog.getByLabel(/Save yours/).check();
      await dialog.getByRole('button', { name: 'Save selected' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
    });
    assert.deepEqual(sentPatches(intercepted), [
      [
        { op: 'replace', path: '/client_name', value: 'Mine' },
        { op: 'replace', path: '/scope', value: 'openid email' },
      ],
    ]);
    const after = await storedClient(intercepted, client.client_id);
    assert.deepEqual((after.metadata as { kept: unknown }).kept, 'changed');
  });

  it('names what is wrong at its field, and lets the server decide on request', async () => {
    const client = await createClient(intercepted);
    await editing(client, async ({ page, expect }) => {
      expect(400, `${CLIENTS}/${client.client_id}`);
      await page.getByLabel('Redirect addresses').fill('https://client.example/#here');
      intercepted.upstream.seen = [];
      await save(page);
      await page.getByText('must not contain a #.').first().waitFor();
      await becomes(() => page.getByLabel('Redirect addresses').getAttribute('aria-invalid'), 'true');
      await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
      await becomes(() => intercepted.upstream.seen, []);
      await page.getByRole('button', { name: 'Send anyway' }).click();
      await page.getByText('Redirect URIs must not contain fragments').first().waitFor();
      assert.equal(sentPatches(intercepted).length, 1);
    });
  });

  it('keeps what is typed when the server fails, is slow or refuses', async () => {
    const client = await createClient(intercepted);
    await editing(client, async ({ page, expect }) => {
      for (const status of [500, 504]) expect(status, `${CLIENTS}/${client.client_id}`);
      await page.getByLabel('Owner').fill('typed');
      for (const answer of [{ status: 500, body: '{"error":"error"}' }, 'silence'] as const) {
        intercepted.upstream.before = ({ method }) => (method === 'PATCH' ? answer : undefined);
        await save(page);
        await page.getByRole('alert').filter({ hasText: 'Not saved' }).waitFor();
        await becomes(() => page.getByLabel('Owner').inputValue(), 'typed');
      }
      intercepted.upstream.before = () => undefined;
      await save(page);
      await page.getByText('Saved', { exact: true }).waitFor();
    });
    await becomes(async () => (await storedClient(intercepted, client.client_id)).owner, 'typed');
  });

  it('with an id that is an address opens by a link from elsewhere, is edited and deleted', async () => {
    const id = 'https://app.example/client?a=b;c#d%2F';
    await createClient(intercepted, { client_id: id, client_name: 'By address' });
    const segment = `~${Buffer.from(id).toString('base64url')}`;
    await onPage(
      intercepted,
      `/oauth/clients/${segment}`,
      async ({ page }) => {
        await page.getByRole('main').getByRole('link', { name: 'Edit' }).click();
        await page.getByLabel('Owner').fill('me');
        await save(page);
        await page.getByText('Owned by me').waitFor();
        await becomes(() => new URL(page.url()).pathname, `/oauth/clients/${segment}`);
        await page.reload();
        await page.getByText('Owned by me').waitFor();
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Delete…' }).click();
        const dialog = page.getByRole('dialog', { name: 'Delete By address?' });
        await dialog.getByText('Its tokens and the consents').waitFor();
        await dialog.getByLabel('to confirm').fill(id);
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('heading', { level: 1, name: 'OAuth2 clients' }).waitFor();
      },
      { heading: 'By address' },
    );
    await becomes(async () => (await readStored(intercepted, id)).status, 404);
  });

  it('of a kind is refused at its field when its id is taken', () =>
    onPage(
      intercepted,
      '/oauth/clients/new?kind=browser',
      async ({ page, expect }) => {
        expect(409, CLIENTS);
        const { client_id } = await createClient(intercepted);
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByText('The authorization code needs at least one.').first().waitFor();
        await page.getByLabel('Redirect addresses').fill('https://spa.example/cb');
        await page.getByLabel('Client id').fill(client_id);
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByText('Taken by another client').waitFor();
        await page.getByLabel('Client id').fill(`${client_id}-2`);
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('heading', { level: 1, name: `${client_id}-2` }).waitFor();
        await page.getByText('Public', { exact: true }).waitFor();
      },
      { heading: 'New OAuth2 client' },
    ));
});
