import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { createAda, createPerson, type Identity, requestIdentity } from '../support/identity-pages.ts';
import { createClient, requestClient, storedClient } from '../support/oauth-client-pages.ts';

const SAVE = 'Save as JSON first';

/** Opens the dialog of the deletion and types the confirmation. */
async function deletion(app: App, typed: string): Promise<HTMLElement> {
  await app.press('More actions');
  await app.user.click(await app.screen.findByRole('menuitem', { name: /Delete/ }));
  const dialog = await app.screen.findByRole('dialog');
  await app.shows(/^This cannot be undone\./, dialog);
  await app.user.type(within(dialog).getByLabelText(/^Type /), typed);
  return dialog;
}

const savedText = async (app: App): Promise<string> => {
  await waitFor(() => assert.equal(app.savedFiles.length, 1));
  assert.match(app.savedFiles[0]?.name ?? '', /\.ndjson$/);
  return (await app.savedFiles[0]?.content.text()) ?? '';
};

describe('saving people before a deletion', () => {
  // These people are created in the identity store itself, where the list without an index finds them immediately.
  const suite = appOfSuite({ env: { IDENTITY_INDEX: 'off' } });
  const isGone = async (id: string): Promise<boolean> => (await requestIdentity(suite, id)).status === 404;
  const rejectRead = ({ method, path }: { method: string; path: string }): Response | undefined =>
    method === 'GET' && path.includes('ids=')
      ? Response.json({ error: 'upstream_error', message: 'No.' }, { status: 403 })
      : undefined;

  it('is off by default, states what the file lacks, and writes everything that can be imported', async () => {
    const { id, ...before } = await createAda(suite);
    let text = '';
    await suite.open(`/identities/${id}`, { heading: 'Ada Old' }, async (app) => {
      const dialog = await deletion(app, String(before.traits.email));
      await app.shows(/no passwords, second factors or other secrets/, dialog);
      const choice = within(dialog).getByLabelText(SAVE) as HTMLInputElement;
      assert.equal(choice.checked, false);
      await app.user.click(choice);
      await app.press('Delete identity', dialog);
      text = await savedText(app);
      const { schema_id, state, external_id, traits, metadata_public, metadata_admin } = before;
      const portable = { schema_id, state, external_id, traits, metadata_public, metadata_admin };
      assert.deepEqual(JSON.parse(text), portable);
      await waitFor(async () => assert.ok(await isGone(id)));
    });
    await suite.open('/identities/import', { heading: /Import/ }, async (app) => {
      await app.shows(/Choose a file/);
      const input = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement;
      await app.user.upload(input, new File([text], 'saved.ndjson'));
      await app.press(/^Import 1 /);
      await app.shows('The import is complete');
    });
  });

  it('writes all selected rows to one file before the first deletion, and deletes nothing if that fails', async () => {
    const people = [await createPerson(suite), await createPerson(suite)];
    await suite.open('/identities', { heading: 'Identities' }, async (app) => {
      for (const { email } of people) await app.user.click(await app.screen.findByLabelText(`Select ${email}`));
      await app.press('Delete…');
      const dialog = await app.screen.findByRole('dialog');
      await app.user.click(await within(dialog).findByLabelText(SAVE));
      await app.fill(/^Type the number/, '2', dialog);
      app.respond = rejectRead;
      await app.press('Delete 2 identities', dialog);
      await app.shows(/^Not saved, so nothing was deleted/, dialog);
      assert.deepEqual(await Promise.all(people.map(({ id }) => isGone(id))), [false, false]);
      app.respond = () => undefined;
      await app.fill(/^Type the number/, '2', dialog);
      await app.press('Delete 2 identities', dialog);
      await app.shows('Deleted 2 identities');
      const text = await savedText(app);
      const emails = text
        .split('\n')
        .flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Identity).traits.email));
      assert.deepEqual(emails.sort(), people.map(({ email }) => email).sort());
      assert.ok(!text.includes('"credentials"'));
      const order = app.requests.map(({ method, path }) => (path.includes('ids=') ? 'read' : method));
      assert.ok(order.lastIndexOf('read') < order.indexOf('DELETE'));
    });
  });
});

describe('saving clients before a deletion', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL' });

  it('writes large numbers exactly, and no secrets', async () => {
    const client = await createClient(suite, { client_name: 'Saved', contacts: ['a@example.org'] });
    const { client_id: id } = client;
    const before = await storedClient(suite, id);
    const exact = JSON.stringify(before).replace('"kept":', '"id":12345678901234567890,"kept":');
    await suite.open(`/oauth/clients/${id}`, { heading: 'Saved' }, async (app) => {
      suite.upstream.before = ({ method, path }) =>
        method === 'GET' && path.endsWith(id) ? { status: 200, body: exact } : undefined;
      const dialog = await deletion(app, id);
      await app.shows(/contains no secrets/, dialog);
      await app.user.click(within(dialog).getByLabelText(SAVE));
      await app.press('Delete client', dialog);
      const text = await savedText(app);
      assert.ok(text.includes('12345678901234567890'), text);
      assert.ok(!text.includes('client_secret"') && !text.includes('registration_access_token'), text);
      await app.screen.findByRole('heading', { level: 1, name: 'Clients' });
    });
    suite.upstream.reset();
    assert.equal((await requestClient(suite, id)).status, 404);
  });
});
