import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';
import {
  createClient,
  onClientPage,
  patchStored,
  type StoredClient,
  save,
  storedClient,
} from '../support/oauth-client-pages.ts';

describe('undoing an edit of an OAuth2 client, in a browser', function () {
  this.timeout(90_000);
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL' });
  const undo = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Undo', exact: true });
  const withoutTimes = ({ updated_at: _updated, client_secret: _secret, ...members }: StoredClient) => members;
  const asStored = async (id: string) => withoutTimes(await storedClient(intercepted, id));

  it('brings back every member that the edit changed, and leaves what others have changed since', async () => {
    const client = await createClient(intercepted, { metadata: { kept: [1], plan: 'gold' } });
    const before = await asStored(client.client_id);
    await onClientPage(
      intercepted,
      client,
      async ({ page }) => {
        await page.getByRole('button', { name: 'JSON', exact: true }).click();
        const editor = page.getByRole('textbox');
        const members = JSON.parse(await editor.inputValue()) as Record<string, unknown>;
        await editor.fill(
          JSON.stringify({
            ...members,
            client_name: 'Renamed',
            redirect_uris: ['https://elsewhere.example/cb'],
            policy_uri: 'https://client.example/policy',
            refresh_token_grant_refresh_token_lifespan: '1h',
            metadata: { kept: [1, 2] },
          }),
        );
        await save(page);
        await undo(page).waitFor();
        await becomes(async () => (await storedClient(intercepted, client.client_id)).client_name, 'Renamed');
        await patchStored(intercepted, client.client_id, [
          { op: 'replace', path: '/owner', value: 'somebody' },
          { op: 'add', path: '/metadata/note', value: 'theirs' },
        ]);
        await undo(page).click();
        await page.getByText('Undone. Changes that others made since then stay.').waitFor();
        await page.getByRole('heading', { level: 1, name: client.client_name }).waitFor();
      },
      { tab: '/edit' },
    );
    assert.deepEqual(await asStored(client.client_id), {
      ...before,
      owner: 'somebody',
      metadata: { kept: [1], plan: 'gold', note: 'theirs' },
    });
  });

  it('overwrites nothing that somebody else has changed since', async () => {
    const client = await createClient(intercepted);
    await onClientPage(
      intercepted,
      client,
      async ({ page }) => {
        await page.getByLabel('Name', { exact: true }).fill('Mine');
        await save(page);
        await undo(page).waitFor();
        await patchStored(intercepted, client.client_id, [{ op: 'replace', path: '/client_name', value: 'Theirs' }]);
        await undo(page).click();
        await page.getByText('Somebody has changed client_name since.').waitFor();
        await page.getByRole('heading', { level: 1, name: 'Theirs' }).waitFor();
      },
      { tab: '/edit' },
    );
  });
});
