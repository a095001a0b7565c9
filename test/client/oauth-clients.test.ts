import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import { type App, appOfSuite, withApp } from '../support/app-in-dom.tsx';
import { indexReady } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { closeDialog } from '../support/identity-dom.ts';
import {
  CLIENTS_PATH,
  clickText,
  createClient,
  patchClient,
  requestClient,
  type StoredClient,
  sentPatches,
  storedClient,
} from '../support/oauth-client-pages.ts';

/** Waits for text that may span several elements. */
const displays = (text: RegExp): Promise<void> => eventually(() => document.body.textContent, text);
const SEARCH = 'Any part of name, owner or client ID';

describe('the list of OAuth2 clients', () => {
  const suite = appOfSuite({ people: 1, service: 'OAUTH_ADMIN_URL' });
  before(async () => {
    const seeded = await suite.dashboard.call(`${CLIENTS_PATH}?page_size=500`, { session: suite.sessions.admin });
    // Sixty clients fill two pages and part of a third.
    for (let n = ((await seeded.json()) as unknown[]).length; n < 60; n += 1)
      await createClient(suite, { client_name: `Seeded ${n}`, owner: 'The makers' });
    await indexReady(suite.dashboard, suite.sessions.admin);
  });
  const onList = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/oauth/clients', { heading: 'Clients' }, work);
  const pagesRequested = (): string[] =>
    suite.upstream.requests.map(({ path }) => path).filter((path) => path.startsWith('/admin/clients?page_size=25'));

  it('requests one page per click, without a cursor in the URL, and shows the total number of clients', () =>
    onList(async (app) => {
      await displays(/Page 1, rows 1–25 of 60/);
      const row = (await app.shows('Billing worker')).closest('tr') ?? assert.fail();
      for (const text of ['finance', 'Client credentials', 'Secret, in a header', 'billing-worker'])
        await app.shows(text, row);
      assert.deepEqual(pagesRequested(), ['/admin/clients?page_size=25']);
      await app.press('Next page');
      await displays(/Page 2, rows 26–50 of 60/);
      await app.press('Next page');
      await displays(/Page 3, rows 51–60 of 60/);
      assert.equal(pagesRequested().length, 3);
      assert.equal(app.address(), '/oauth/clients');
      await app.press('Previous page');
      await app.shows(/^Page 2, rows 26–50/);
    }));

  it('is continued from the page of a client, on the same tab, with one request for each further page', () =>
    onList(async (app) => {
      const count = (text: string) =>
        eventually(() => app.screen.queryByRole('group', { name: /^Rows of the list/ })?.textContent, text);
      await eventually(() => document.querySelectorAll('tr[data-row]').length, 25);
      await app.press('Next page');
      await displays(/Page 2, rows 26–50/);
      await app.user.click(document.querySelector('tr[data-row="24"] a') ?? assert.fail());
      await count('50');
      await app.user.click(await app.screen.findByRole('link', { name: 'Timeline' }));
      suite.upstream.before = ({ path }) => (/page_token/.test(path) ? { status: 500, body: '{}' } : undefined);
      await app.user.keyboard('j');
      await app.screen.findByRole('alert');
      suite.upstream.before = () => undefined;
      await app.user.keyboard('jj');
      await count('51 of 60');
      assert.match(app.address(), /\/history$/);
      await app.user.keyboard('k');
      await count('50');
      await app.press('Previous client');
      await count('49');
      assert.equal(pagesRequested().length, 4);
      await app.user.keyboard('?');
      await app.screen.findByRole('dialog');
      await app.user.keyboard('j');
      await closeDialog(app);
      await app.user.keyboard('k');
      await count('48');
      await app.user.click(await app.screen.findByRole('link', { name: 'Clients', current: false }));
      await displays(/Page 2, rows 26–50/);
    }));

  it('finds clients by any part of name, owner or ID during typing, regardless of case', () =>
    onList(async (app) => {
      await app.shows(/^Page 1/);
      await app.fill(SEARCH, 'HOP, WEB');
      await app.shows('1 client matches');
      await app.shows('Web shop');
      assert.equal(app.address(), '/oauth/clients?q=HOP%2C+WEB');
      await app.fill(SEARCH, 'inanc');
      await app.shows('2 clients match');
      await app.fill(SEARCH, 'ing-work');
      await app.shows('1 client matches');
      await app.shows('Billing worker');
      await app.press('Clear the search');
      await app.shows(/^Page 1, rows 1–25/);
    }));

  it('deletes the selected clients after their number is typed, and warns about the dashboard’s own client', async () => {
    const clients = [await createClient(suite), await createClient(suite)];
    await onList(async (app) => {
      await app.choose('Rows per page', '100 rows');
      for (const { client_name } of clients)
        await app.user.click(await app.screen.findByLabelText(`Select ${client_name}`));
      await app.user.click(await app.shows('Delete…'));
      const dialog = await app.screen.findByRole('dialog', { name: 'Delete 2 clients?' });
      await app.shows(/Tokens and consents are deleted with the client/, dialog);
      await app.fill(/Type the number/, '2', dialog);
      await app.press('Delete 2 clients', dialog);
      await app.shows('Deleted 2 clients');
    });
    for (const { client_id } of clients)
      await eventually(async () => (await requestClient(suite, client_id)).status, 404);
    // The client of the dashboard is recognized by the origin of its redirect address, so this page has that origin.
    await withApp(suite.dashboard.baseUrl, '/oauth/clients', { session: suite.sessions.admin }, async (app) => {
      await app.choose('Rows per page', '100 rows');
      await app.user.click(await app.screen.findByLabelText('Select Dashboard'));
      await app.user.click(await app.shows('Delete…'));
      await app.shows(/nobody can sign in here/);
    });
  });
});

describe('the list of OAuth2 clients without an index', () => {
  const suite = appOfSuite({ people: 1, service: 'OAUTH_ADMIN_URL', env: { IDENTITY_INDEX: 'off' } });

  it('is searched by complete name or owner, explains why, and opens any text as a client ID', () =>
    suite.open('/oauth/clients', { heading: 'Clients' }, async (app) => {
      await app.shows(/^Page 1/);
      await app.fill(SEARCH, 'finance');
      await app.user.keyboard('{Enter}');
      await app.shows('2 clients match');
      await app.shows(/The index of clients is off/);
      await app.fill(SEARCH, 'web-shop');
      await app.user.keyboard('{Enter}');
      await app.shows('No client has this name or owner');
      await app.press('Open the client with this ID');
      await app.screen.findByRole('heading', { level: 1, name: 'Web shop' });
    }));
});

const without = (key: string, { [key]: _, ...members }: StoredClient) => members;

describe('an OAuth2 client', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL' });
  const editing = (client: StoredClient, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/oauth/clients/${client.client_id}/edit`, { heading: client.client_name }, async (app) => {
      await app.screen.findByLabelText('Name');
      suite.upstream.requests = [];
      await work(app);
    });

  it('is not found if its ID is unknown, cannot be decoded or cannot be in a URL', async () => {
    for (const segment of ['unknown', '~%25', `~${Buffer.from('..').toString('base64url')}`])
      await suite.open(`/oauth/clients/${segment}`, {}, async (app) => {
        await app.shows('Client not found');
        assert.ok(suite.upstream.requests.every(({ path }) => path === '/admin/clients/unknown'));
      });
  });

  it('is displayed with its ID only once if it has no name', async () => {
    const { client_id } = await createClient(suite, { client_name: '' });
    await suite.open(`/oauth/clients/${client_id}`, { heading: client_id }, async (app) => {
      await app.shows('No name');
      assert.equal(document.querySelector('h1')?.parentElement?.textContent?.split(client_id).length, 2);
      await app.press('Copy client ID');
    });
  });

  it('is saved by a patch of its changed members, and keeps members that are not in the form', async () => {
    const client = await createClient(suite, { skip_consent: true, contacts: ['a@example.org'] });
    const before = await storedClient(suite, client.client_id);
    const redirect_uris = ['https://client.example/cb', 'https://client.example/2'];
    await editing(client, async (app) => {
      await app.fill('Name', 'Renamed');
      await app.fill('Redirect addresses', `${redirect_uris.join('\n')}\n`);
      await app.user.click(app.screen.getByLabelText('Client credentials'));
      await app.fill('Refresh token: refresh token', '');
      await app.fill('Client credentials: access token', '90m');
      await clickText(app, 'Save');
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

  it('can be edited as JSON, where a typed secret is rejected and unsaved changes are not discarded without confirmation', async () => {
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
      await clickText(app, 'Save');
      await app.shows(/A secret cannot be entered here/);
      assert.deepEqual(sentPatches(suite), []);
      await paste(JSON.stringify({ ...members, owner: undefined, metadata: { list: [] } }));
      await app.user.click(app.screen.getAllByText('Overview').at(-1) ?? assert.fail());
      await clickText(app, 'Stay');
      await clickText(app, 'Save');
      await app.shows(/^Saved /);
    });
    assert.deepEqual(sentPatches(suite), [
      [
        { op: 'replace', path: '/owner', value: '' },
        { op: 'replace', path: '/metadata', value: { list: [] } },
      ],
    ]);
  });

  it('is shown in both versions if another operator changed the same members, and keeps their other changes', async () => {
    const client = await createClient(suite);
    await editing(client, async (app) => {
      await app.fill('Name', 'Mine');
      await app.fill('Scope', 'openid email');
      await patchClient(suite, client.client_id, [
        { op: 'replace', path: '/client_name', value: 'Theirs' },
        { op: 'replace', path: '/metadata/kept', value: 'changed' },
      ]);
      suite.upstream.requests = [];
      await clickText(app, 'Save');
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

  it('is sent despite a problem at one of its fields only if the operator insists', async () => {
    // A machine, whose form has this field behind the others.
    const client = await createClient(suite, {
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    });
    await editing(client, async (app) => {
      const others = (await app.screen.findByText(/^More fields, preset for .*: .*Grants/)).closest('details');
      assert.deepEqual([others?.open, app.screen.queryByText(/consent page/)], [false, null]);
      await app.fill('Redirect addresses', 'https://client.example/#here');
      await clickText(app, 'Save');
      await eventually(() => others?.open, true);
      await app.shows(/must not contain a #\./);
      await eventually(() => document.activeElement?.getAttribute('aria-invalid'), 'true');
      assert.deepEqual(sentPatches(suite), []);
      await clickText(app, 'Send anyway');
      await app.shows(/Redirect URIs must not contain fragments/);
      assert.equal(sentPatches(suite).length, 1);
    });
  });

  it('is saved despite problems in unchanged members, and keeps the line breaks in them', async () => {
    const contacts = ['Ada\nLovelace', 'b@example.org'];
    const client = await createClient(suite, { token_endpoint_auth_signing_alg: 'ES256K', contacts });
    await editing(client, async (app) => {
      const field = app.screen.getByLabelText('Contacts') as HTMLTextAreaElement;
      assert.deepEqual(JSON.parse(field.value), contacts);
      await app.fill('Owner', 'Team');
      await clickText(app, 'Save');
      await app.shows(/^Saved /);
    });
    assert.deepEqual(sentPatches(suite), [[{ op: 'replace', path: '/owner', value: 'Team' }]]);
  });

  it('gets its allowed origins from its redirect addresses if it runs in a browser, until the operator edits the origins', () =>
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
    const client = await createClient(suite, { metadata: { list: [1], plan: 'gold' } });
    const before = await storedClient(suite, client.client_id);
    await editing(client, async (app) => {
      await app.fill('Name', 'Renamed');
      await app.fill('Redirect addresses', 'https://elsewhere.example/cb');
      await app.fill('Refresh token: refresh token', '1h');
      await clickText(app, 'Save');
      await app.shows('Undo');
      await patchClient(suite, client.client_id, [
        { op: 'replace', path: '/owner', value: 'another team' },
        { op: 'add', path: '/metadata/note', value: 'theirs' },
      ]);
      await clickText(app, 'Undo');
      const words = `(?=.*name is ${client.client_name} again)(?=.*redirect addresses as before)`;
      await app.shows(new RegExp(`^Reverted: ${words}.+\\. Later changes by others were kept\\.$`));
      await app.screen.findByRole('heading', { level: 1, name: client.client_name });
    });
    assert.deepEqual(without('updated_at', await storedClient(suite, client.client_id)), {
      ...without('updated_at', before),
      owner: 'another team',
      metadata: { list: [1], plan: 'gold', note: 'theirs' },
    });
  });
});

describe('the timeline of an OAuth2 client', () => {
  const suite = appOfSuite({ service: 'OAUTH_ADMIN_URL' });

  it('has one line for a change made here, and one of the record for a change made elsewhere', async () => {
    const client = await createClient(suite);
    const id = client.client_id;
    await patchClient(suite, id, [{ op: 'replace', path: '/owner', value: 'Team' }]);
    const { events } = await suite.read<AuditPage>(`/api/security/audit?subject=client:${id}`);
    for (const [minutes, isShown] of [
      [0, false],
      [5, true],
    ] as const) {
      const updated_at = new Date(Date.parse(events[0]?.timestamp ?? '') + minutes * 60_000).toISOString();
      const respond: App['respond'] = ({ method, path }) =>
        method === 'GET' && path.endsWith(`/admin/clients/${id}`)
          ? Response.json({ ...client, created_at: '2020-01-01T00:00:00Z', updated_at })
          : undefined;
      await suite.open(`/oauth/clients/${id}/history`, { respond }, async (app) => {
        await displays(/You changed the owner of/);
        await app.shows('The client was created');
        assert.equal(app.screen.queryByText('The client was last changed') !== null, isShown);
      });
    }
  });
});
