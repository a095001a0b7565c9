import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { ada, chooseAction, person, type Stored, stored } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { createClient, onClientPage, readStored, secretDialog, storedClient } from '../support/oauth-client-pages.ts';
import { chooseFile } from '../support/transfer-pages.ts';

const SAVE = 'Save as JSON first';

/** The text of the file that an act saves. */
async function savedBy(page: Page, act: () => Promise<void>): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  assert.match(file.suggestedFilename(), /\.ndjson$/);
  return readFile(await file.path(), 'utf8');
}

describe('saving people before they are deleted, in a browser', function () {
  this.timeout(90_000);
  // People are stored past the service, which only the plain list shows at once.
  const intercepted = interceptedDashboardOfSuite({ env: { IDENTITY_INDEX: 'off' } });
  const isGone = async (id: string) => (await stored(intercepted, id)).status === 404;
  const portable = ({ schema_id, state, external_id, traits, metadata_public, metadata_admin }: Stored) => ({
    schema_id,
    state,
    external_id,
    traits,
    metadata_public,
    metadata_admin,
  });
  const deletion = async (page: Page, email: string) => {
    await chooseAction(page, /Delete/);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(email);
    return dialog;
  };

  it('is offered and not chosen, says what is not in the file, and the import takes the file', async () => {
    const before = await ada(intercepted);
    const email = String(before.traits.email);
    await onPage(
      intercepted,
      `/identities/${before.id}`,
      async ({ page, expect }) => {
        const dialog = await deletion(page, email);
        await dialog.getByText('This cannot be undone.').waitFor();
        await dialog.getByText('Passwords, second factors and other secrets are not in it').waitFor();
        assert.equal(await dialog.getByLabel(SAVE).isChecked(), false);
        await assertAccessibleInAllLooks(page, 'the deletion of a person');
        await dialog.getByLabel(SAVE).check();
        expect(404, new RegExp(before.id));
        expect(400, '/api/identities/search');
        const text = await savedBy(page, () => dialog.getByRole('button', { name: 'Delete' }).click());
        assert.deepEqual(JSON.parse(text), portable(before));
        await becomes(() => isGone(before.id), true);

        await page.goto(`${intercepted.dashboard.baseUrl}/identities/import`);
        await chooseFile(page, { name: 'saved.ndjson', content: text });
        await page.getByRole('button', { name: /^Import 1 / }).click();
        await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      },
      { heading: 'Ada Old' },
    );
    const { dashboard, sessions } = intercepted;
    const found = await dashboard.call(
      `/api/identity-admin/admin/identities?credentials_identifier=${encodeURIComponent(email)}`,
      { session: sessions.admin },
    );
    const [again] = (await found.json()) as Stored[];
    assert.ok(again);
    assert.deepEqual(portable(again), portable(before));
    assert.notEqual(again.id, before.id);
  });

  it('deletes nobody when it fails, and nothing is saved unless it is chosen', async () => {
    const somebody = await person(intercepted);
    await onPage(
      intercepted,
      `/identities/${somebody.id}`,
      async ({ page, expect }) => {
        const dialog = await deletion(page, somebody.email);
        await dialog.getByLabel(SAVE).check();
        expect(403, /\/admin\/identities/);
        intercepted.upstream.before = ({ method, path }) =>
          method === 'GET' && path.includes('ids=') ? { status: 403, body: '{"error":{"message":"no"}}' } : undefined;
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await dialog.getByText('Not saved, so nothing was deleted').waitFor();
        assert.equal(await isGone(somebody.id), false);
        intercepted.upstream.calm();
        expect(400, '/api/identities/search');
        await dialog.getByLabel(SAVE).uncheck();
        page.on('download', () => assert.fail('nothing was to be saved'));
        expect(404, new RegExp(somebody.id));
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await becomes(() => isGone(somebody.id), true);
      },
      { heading: somebody.name },
    );
  });

  it('saves the chosen ones of a list in one file before the first is deleted', async () => {
    const some = [await person(intercepted), await person(intercepted)];
    await onPage(intercepted, '/identities/import', async ({ page, expect }) => {
      expect(400, '/api/identities/search');
      await page.goto(`${intercepted.dashboard.baseUrl}/identities?page_size=250`);
      for (const { email } of some) await page.getByLabel(`Select ${email}`).check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(SAVE).check();
      await dialog.getByLabel(/Type the number/).fill('2');
      expect(403, /\/admin\/identities/);
      intercepted.upstream.before = ({ method, path }) =>
        method === 'GET' && path.includes('ids=') ? { status: 403, body: '{"error":{"message":"no"}}' } : undefined;
      await dialog.getByRole('button', { name: 'Delete 2' }).click();
      await dialog.getByText('Not saved, so nothing was deleted').waitFor();
      assert.deepEqual(await Promise.all(some.map(({ id }) => isGone(id))), [false, false]);
      intercepted.upstream.calm();
      await dialog.getByLabel(/Type the number/).fill('2');
      const text = await savedBy(page, () => dialog.getByRole('button', { name: 'Delete 2' }).click());
      await dialog.getByText('2 deleted.').waitFor();
      const lines = text.trim().split('\n');
      const emails = lines.map((line) => (JSON.parse(line) as Stored).traits.email);
      assert.deepEqual(emails.sort(), some.map(({ email }) => email).sort());
      assert.ok(!text.includes('"credentials"'));
      const asked = intercepted.upstream.seen.map(({ method, path }) => `${method} ${path.includes('ids=')}`);
      assert.ok(asked.indexOf('GET true') !== -1 && asked.indexOf('GET true') < asked.indexOf('DELETE false'));
    });
  });
});

describe('saving clients before they are deleted, in a browser', function () {
  this.timeout(90_000);
  const intercepted = interceptedDashboardOfSuite({ service: 'OAUTH_ADMIN_URL' });

  it('writes what the form for a new client takes, with all numbers as they are and no secret', async () => {
    const client = await createClient(intercepted, { client_name: 'Saved', contacts: ['a@example.org'] });
    const { dashboard } = intercepted;
    const before = await storedClient(intercepted, client.client_id);
    const exact = JSON.stringify(before).replace('"kept":', '"id":12345678901234567890,"kept":');
    await onClientPage(intercepted, client, async ({ page, expect }) => {
      expect(404, new RegExp(client.client_id));
      intercepted.upstream.before = ({ method, path }) =>
        method === 'GET' && path.endsWith(client.client_id) ? { status: 200, body: exact } : undefined;
      await chooseAction(page, /Delete/);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('This cannot be undone.').waitFor();
      await dialog.getByText('Secrets are not in it').waitFor();
      await dialog.getByLabel(SAVE).check();
      await dialog.getByRole('textbox').fill(client.client_id);
      const text = await savedBy(page, () => dialog.getByRole('button', { name: 'Delete' }).click());
      intercepted.upstream.calm();
      assert.ok(text.includes('12345678901234567890'), text);
      assert.ok(!text.includes('client_secret"') && !text.includes('registration_access_token'), text);
      await page.getByRole('heading', { level: 1, name: 'OAuth2 clients' }).waitFor();
      assert.equal((await readStored(intercepted, client.client_id)).status, 404);

      await page.goto(`${dashboard.baseUrl}/oauth/clients/new?kind=web`);
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      await page.getByRole('textbox').fill(text);
      await page.getByRole('button', { name: 'Create' }).click();
      await secretDialog(page).waitFor();
    });
    const again = await storedClient(intercepted, client.client_id);
    for (const name of ['client_name', 'contacts', 'redirect_uris', 'scope', 'grant_types', 'owner'])
      assert.deepEqual(again[name], before[name], name);
  });
});
