import assert from 'node:assert/strict';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import {
  click,
  createClient,
  patchStored,
  type StoredClient,
  sentPatches,
  storedClient,
} from '../support/oauth-client-pages.ts';

const without = (key: string, { [key]: _, ...members }: StoredClient) => members;

describe('an OAuth2 client', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL' });
  const editing = (client: StoredClient, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/oauth/clients/${client.client_id}/edit`, { heading: client.client_name }, async (app) => {
      await app.screen.findByLabelText('Name');
      suite.upstream.seen = [];
      await work(app);
    });

  it('is not found if its id is unknown, cannot be decoded or cannot be in a URL', async () => {
    for (const segment of ['nobody', '~%25', `~${Buffer.from('..').toString('base64url')}`])
      await suite.open(`/oauth/clients/${segment}`, {}, async (app) => {
        await app.shows('Client not found');
        assert.ok(suite.upstream.seen.every(({ path }) => path === '/admin/clients/nobody'));
      });
  });

  it('without a name shows its id once', async () => {
    const { client_id } = await createClient(suite, { client_name: '' });
    await suite.open(`/oauth/clients/${client_id}`, { heading: client_id }, async (app) => {
      assert.equal((await app.shows('No name')).closest('div')?.textContent?.split(client_id).length, 2);
      await app.press('Copy client ID');
    });
  });

  it('is written only where it was changed, and keeps members that are not in the form', async () => {
    const client = await createClient(suite, { skip_consent: true, contacts: ['a@example.org'] });
    const before = await storedClient(suite, client.client_id);
    const redirect_uris = ['https://client.example/cb', 'https://client.example/2'];
    await editing(client, async (app) => {
      await app.fill('Name', 'Renamed');
      await app.fill('Redirect addresses', `${redirect_uris.join('\n')}\n`);
      await app.user.click(app.screen.getByLabelText('Client credentials'));
      await app.fill('Refresh token: refresh token', '');
      await app.fill('Client credentials: access token', '90m');
      await click(app, 'Save');
      await app.screen.findByRole('heading', { level: 1, name: 'Renamed' });
    });
    const grant_types = ['authorization_code', 'client_credentials'];
    assert.deepEqual(sentPatches(suite), [
      [
        { op: 'replace', path: '/client_name', value: 'Renamed' },
        { op: 'replace', path: '/redirect_uris', value: redirect_uris },
        { op: 'replace', path: '/grant_types', value: grant_types },
        { op: 'replace', path: '/refresh_token_grant_refresh_token_lifespan', value: null },
        { op: 'replace', path: '/client_credentials_grant_access_token_lifespan', value: '90m' },
      ],
    ]);
    assert.deepEqual(without('updated_at', await storedClient(suite, client.client_id)), {
      ...without('updated_at', before),
      client_name: 'Renamed',
      redirect_uris,
      grant_types,
      refresh_token_grant_refresh_token_lifespan: null,
      client_credentials_grant_access_token_lifespan: '1h30m0s',
    });
  });

  it('can be edited as JSON, which rejects a typed secret, and asks before it is left', async () => {
    const client = await createClient(suite);
    await editing(client, async (app) => {
      await app.press('JSON');
      const field = await app.screen.findByLabelText<HTMLTextAreaElement>('Client as JSON');
      const members = JSON.parse(field.value) as Record<string, unknown>;
      assert.equal(members['client_id'], undefined);
      const paste = async (value: string): Promise<void> => {
        await app.user.clear(field);
        await app.user.click(field);
        await app.user.paste(value);
      };
      await paste('{');
      await eventually(() => app.screen.getByText('Form').closest('button')?.disabled, true);
      await paste(JSON.stringify({ ...members, client_secret: 'typed-by-hand' }));
      await click(app, 'Save');
      await app.shows(/A secret cannot be entered here/);
      assert.deepEqual(sentPatches(suite), []);
      await paste(JSON.stringify({ ...members, owner: undefined, metadata: { kept: [] } }));
      await app.user.click(app.screen.getAllByText('Overview').at(-1) ?? assert.fail());
      await click(app, 'Stay');
      await click(app, 'Save');
      await app.shows(/^Saved /);
    });
    assert.deepEqual(sentPatches(suite), [
      [
        { op: 'replace', path: '/owner', value: '' },
        { op: 'replace', path: '/metadata', value: { kept: [] } },
      ],
    ]);
  });

  it('shows both versions if somebody else changed the same members, and keeps their other changes', async () => {
    const client = await createClient(suite);
    await editing(client, async (app) => {
      await app.fill('Name', 'Mine');
      await app.fill('Scope', 'openid email');
      await patchStored(suite, client.client_id, [
        { op: 'replace', path: '/client_name', value: 'Theirs' },
        { op: 'replace', path: '/metadata/kept', value: 'changed' },
      ]);
      suite.upstream.seen = [];
      await click(app, 'Save');
      const dialog = await app.screen.findByRole('dialog', { name: 'Somebody else changed this client' });
      await app.shows(/metadata\.kept/, dialog);
      assert.deepEqual(sentPatches(suite), [], 'nothing is written before the choice');
      await app.user.click(await app.screen.findByLabelText(/Save yours/));
      await app.press('Save selected', dialog);
      await app.shows(/^Saved /);
    });
    assert.deepEqual(sentPatches(suite), [
      [
        { op: 'replace', path: '/client_name', value: 'Mine' },
        { op: 'replace', path: '/scope', value: 'openid email' },
      ],
    ]);
    const { metadata } = await storedClient(suite, client.client_id);
    assert.equal((metadata as { kept: unknown }).kept, 'changed');
  });

  it('shows a problem at its field, and lets the server decide on request', async () => {
    const client = await createClient(suite);
    await editing(client, async (app) => {
      await app.fill('Redirect addresses', 'https://client.example/#here');
      await click(app, 'Save');
      await app.shows(/must not contain a #\./);
      await eventually(() => document.activeElement?.getAttribute('aria-invalid'), 'true');
      assert.deepEqual(sentPatches(suite), []);
      await click(app, 'Send anyway');
      await app.shows(/Redirect URIs must not contain fragments/);
      assert.equal(sentPatches(suite).length, 1);
    });
  });

  it('is saved in spite of problems in unchanged members, and keeps their line breaks', async () => {
    const contacts = ['Ada\nLovelace', 'b@example.org'];
    const client = await createClient(suite, { token_endpoint_auth_signing_alg: 'ES256K', contacts });
    await editing(client, async (app) => {
      const field = app.screen.getByLabelText('Contacts') as HTMLTextAreaElement;
      assert.deepEqual(JSON.parse(field.value), contacts);
      await app.fill('Owner', 'Team');
      await click(app, 'Save');
      await app.shows(/^Saved /);
    });
    assert.deepEqual(sentPatches(suite), [[{ op: 'replace', path: '/owner', value: 'Team' }]]);
  });

  it('has the origins of its redirect addresses if it runs in the browser, until somebody edits them', () =>
    suite.open('/oauth/clients/new?kind=browser', {}, async (app) => {
      await app.screen.findByLabelText('Redirect addresses');
      const origins = () => (app.screen.getByLabelText('Allowed browser origins') as HTMLTextAreaElement).value;
      await app.fill('Redirect addresses', 'https://app.example/cb\ncom.example.app:/cb');
      assert.equal(origins(), 'https://app.example');
      await app.fill('Allowed browser origins', 'https://other.example');
      await app.fill('Redirect addresses', 'https://new.example/cb');
      assert.equal(origins(), 'https://other.example');
    }));

  it('is restored by undo, but only in the members that the edit changed', async () => {
    const client = await createClient(suite, { metadata: { kept: [1], plan: 'gold' } });
    const before = await storedClient(suite, client.client_id);
    await editing(client, async (app) => {
      await app.fill('Name', 'Renamed');
      await app.fill('Redirect addresses', 'https://elsewhere.example/cb');
      await app.fill('Refresh token: refresh token', '1h');
      await click(app, 'Save');
      await app.shows('Undo');
      await patchStored(suite, client.client_id, [
        { op: 'replace', path: '/owner', value: 'somebody' },
        { op: 'add', path: '/metadata/note', value: 'theirs' },
      ]);
      await click(app, 'Undo');
      await app.shows(/^Undone: saved .+\. Later changes by others were kept\.$/);
      await app.screen.findByRole('heading', { level: 1, name: client.client_name });
    });
    assert.deepEqual(without('updated_at', await storedClient(suite, client.client_id)), {
      ...without('updated_at', before),
      owner: 'somebody',
      metadata: { kept: [1], plan: 'gold', note: 'theirs' },
    });
  });
});
