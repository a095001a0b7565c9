import assert from 'node:assert/strict';
import { type SandboxFixture, sandboxFixture } from '../support/sandbox-fixture.ts';

interface ClientAnswer {
  client_id: string;
  client_name: string;
  client_secret?: string;
  grant_types: string[];
}

describe("the sandbox's OAuth clients", () => {
  let fixture: SandboxFixture;
  beforeEach(async () => {
    fixture = await sandboxFixture();
  });
  afterEach(() => fixture.close());

  const worker = { client_id: 'worker', client_name: 'Worker', grant_types: ['client_credentials'], scope: 'read' };
  const tokenFor = (id: string, secret: string) =>
    fetch(`${fixture.url('oauth')}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });

  it('show their secret once, and it works', async () => {
    const { status, json } = await fixture.admin<ClientAnswer>('POST', '/admin/clients', worker);
    assert.equal(status, 201);
    assert.ok(json.client_secret);
    assert.equal((await fixture.admin<ClientAnswer>('GET', '/admin/clients/worker')).json.client_secret, undefined);
    assert.equal((await tokenFor('worker', json.client_secret)).status, 200);
    assert.equal((await tokenFor('worker', 'another-secret')).status, 401);
  });

  it('keep their secret when they are replaced or patched, until another is sent', async () => {
    const { json } = await fixture.admin<ClientAnswer>('POST', '/admin/clients', worker);
    const first = json.client_secret ?? '';
    await fixture.admin('PUT', '/admin/clients/worker', { ...worker, client_name: 'Renamed' });
    await fixture.admin('PATCH', '/admin/clients/worker', [{ op: 'replace', path: '/owner', value: 'ops' }]);
    assert.equal((await tokenFor('worker', first)).status, 200);
    const sent = await fixture.admin<ClientAnswer>('PUT', '/admin/clients/worker', {
      ...worker,
      client_secret: 'a-second-secret',
    });
    assert.equal(sent.json.client_secret, 'a-second-secret');
    assert.equal((await tokenFor('worker', first)).status, 401);
    assert.equal((await tokenFor('worker', 'a-second-secret')).status, 200);
  });

  it('lose what a PUT leaves out, and keep their id whatever it says', async () => {
    await fixture.admin('POST', '/admin/clients', { ...worker, owner: 'ops', metadata: { a: 1 } });
    const { json } = await fixture.admin<Record<string, unknown>>('PUT', '/admin/clients/worker', {
      client_id: 'other',
      client_name: 'After',
    });
    assert.deepEqual(
      [json.client_id, json.client_name, json.owner, json.metadata, json.grant_types, json.scope],
      ['worker', 'After', '', {}, null, 'offline_access offline openid'],
    );
    assert.equal((await fixture.admin('GET', '/admin/clients/other')).status, 404);
  });

  it('get no token after they are deleted', async () => {
    const { json } = await fixture.admin<ClientAnswer>('POST', '/admin/clients', worker);
    await fixture.admin('DELETE', '/admin/clients/worker');
    assert.equal((await tokenFor('worker', json.client_secret ?? '')).status, 401);
  });

  it('include the dashboard, which comes back at the next start when it was deleted', async () => {
    assert.equal((await fixture.admin('DELETE', '/admin/clients/dashboard')).status, 204);
    await fixture.restart();
    const { json } = await fixture.admin<{ redirect_uris: string[] }>('GET', '/admin/clients/dashboard');
    assert.deepEqual(json.redirect_uris, ['http://localhost:3000/api/auth/callback']);
  });

  it('let the dashboard return to a second address when it is started at one', async () => {
    await fixture.restart({ dashboardUrl: 'http://localhost:3001' });
    const { json } = await fixture.admin<{ redirect_uris: string[] }>('GET', '/admin/clients/dashboard');
    assert.deepEqual(json.redirect_uris, [
      'http://localhost:3000/api/auth/callback',
      'http://localhost:3001/api/auth/callback',
    ]);
  });
});

describe("the sandbox's admin ports with an API key", () => {
  let fixture: SandboxFixture;
  before(async () => {
    fixture = await sandboxFixture({ apiKeys: { identityAdmin: 'identity-key', oauthAdmin: 'oauth-key' } });
  });
  after(() => fixture.close());

  for (const [port, path, key] of [
    ['identityAdmin', '/admin/identities', 'identity-key'],
    ['oauthAdmin', '/admin/clients', 'oauth-key'],
  ] as const) {
    const status = async (target: string, authorization?: string) =>
      (await fetch(fixture.url(port) + target, { headers: authorization === undefined ? {} : { authorization } }))
        .status;

    it(`answer 401 on ${port} without it, with another, or with another scheme`, async () => {
      assert.equal(await status(path), 401);
      assert.equal(await status(path, 'Bearer wrong'), 401);
      assert.equal(await status(path, `Basic ${key}`), 401);
      assert.equal(await status('/admin/nonsense'), 401);
    });

    it(`answer on ${port} with it, and health without it`, async () => {
      assert.equal(await status(path, `Bearer ${key}`), 200);
      assert.equal(await status(path.replace('/admin', ''), `Bearer ${key}`), 200);
      assert.equal(await status('/health/ready'), 200);
    });
  }
});
