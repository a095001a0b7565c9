import assert from 'node:assert/strict';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually, until } from '../support/eventually.ts';
import { click, createClient, type StoredClient, sentPatches } from '../support/oauth-client-pages.ts';

/** In the first tier, `test/e2e/oauth-clients-secret.test.ts` holds that nothing of a secret is left in the browser. */
describe('the secret of an OAuth2 client', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL' });
  const machine = (): Promise<StoredClient> =>
    createClient(suite, { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] });
  const onClient = ({ client_id, client_name }: StoredClient, work: (app: App) => Promise<void>, tab = '') =>
    suite.open(`/oauth/clients/${client_id}${tab}`, { heading: client_name }, work);

  async function openRotation(app: App, client: StoredClient): Promise<HTMLElement> {
    await app.press('More actions');
    await app.user.click(await app.screen.findByRole('menuitem', { name: 'Rotate secret…' }));
    const dialog = await app.screen.findByRole('dialog', { name: /Rotate the secret of/ });
    await app.fill(/^Type .* to confirm/, client.client_id, dialog);
    return dialog;
  }
  const dialogOfSecret = (app: App): HTMLElement | null =>
    app.screen.queryByText('I have stored the secret')?.closest<HTMLElement>('[role=dialog]') ?? null;
  async function shownSecret(app: App): Promise<string> {
    await app.shows('I have stored the secret');
    return dialogOfSecret(app)?.querySelectorAll('pre')[1]?.textContent ?? '';
  }
  async function acknowledge(app: App): Promise<void> {
    await app.user.click(await app.screen.findByLabelText('I have stored the secret'));
    await click(app, 'Done');
    await until(() => dialogOfSecret(app) === null);
  }

  it('is rotated only once the full id or name is typed', async () => {
    const client = await machine();
    await onClient(client, async (app) => {
      const dialog = await openRotation(app, client);
      const rotate = (): HTMLButtonElement | undefined =>
        [...dialog.querySelectorAll('button')].find(({ textContent }) => textContent === 'Rotate secret');
      for (const wrong of ['', client.client_name.slice(0, -1), `${client.client_name} or ${client.client_id}`]) {
        await app.fill(/^Type .* to confirm/, wrong, dialog);
        await eventually(() => rotate()?.disabled, true, wrong);
      }
      await app.fill(/^Type .* to confirm/, client.client_name, dialog);
      await app.press('Rotate secret', dialog);
      const secret = await shownSecret(app);
      assert.match(secret, /^[\w-]{43}$/);
      assert.deepEqual(sentPatches(suite), [[{ op: 'replace', path: '/client_secret', value: secret }]]);
      await acknowledge(app);
      assert.ok(!document.body.innerHTML.includes(secret));
    });
  });

  it('stays the same on a retry if the response was lost, and is shown even to an operator who gives up', async () => {
    const client = await machine();
    await onClient(client, async (app) => {
      suite.upstream.after = ({ method }) => (method === 'PATCH' ? 'lost' : undefined);
      const dialog = await openRotation(app, client);
      await app.press('Rotate secret', dialog);
      await until(() => dialog.querySelector('[role=alert]') !== null);
      await app.press('Rotate secret', dialog);
      await eventually(() => sentPatches(suite).length, 2);
      const [first, second] = sentPatches(suite);
      assert.deepEqual(second, first);
      await app.press('Cancel', dialog);
      assert.equal(await shownSecret(app), first?.[0]?.value);
      await app.shows('The OAuth server did not confirm the secret');
      await acknowledge(app);
    });
  });

  it('is generated in the same write when a public client becomes confidential', async () => {
    const client = await createClient(suite, { token_endpoint_auth_method: 'none' });
    await onClient(
      client,
      async (app) => {
        await app.choose('Authentication at the token endpoint', 'client_secret_post');
        await click(app, 'Save');
        const secret = await shownSecret(app);
        assert.deepEqual(sentPatches(suite), [
          [
            { op: 'replace', path: '/token_endpoint_auth_method', value: 'client_secret_post' },
            { op: 'replace', path: '/client_secret', value: secret },
          ],
        ]);
        await acknowledge(app);
        await app.shows('Confidential');
      },
      '/edit',
    );
  });

  it('is shown again, and its edit has no undo, if the edit is repeated because its response was lost', async () => {
    const client = await createClient(suite, { token_endpoint_auth_method: 'none' });
    await onClient(
      client,
      async (app) => {
        suite.upstream.after = ({ method }) => (method === 'PATCH' ? 'lost' : undefined);
        await app.choose('Authentication at the token endpoint', 'client_secret_post');
        await click(app, 'Save');
        const secret = await shownSecret(app);
        await app.shows('This secret may be active');
        await acknowledge(app);
        suite.upstream.calm();
        await click(app, 'Save');
        assert.equal(await shownSecret(app), secret);
        await app.shows('Copy the client secret now');
        assert.equal(app.screen.queryByRole('button', { name: 'Undo', hidden: true }), null);
        await acknowledge(app);
        await app.shows('Confidential');
      },
      '/edit',
    );
  });
});
