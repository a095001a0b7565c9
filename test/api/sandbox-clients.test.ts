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

  it('lose what a PUT leaves out, but always keep their id', async () => {
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

describe("a client's secret in the sandbox", () => {
  let fixture: SandboxFixture;
  beforeEach(async () => {
    fixture = await sandboxFixture();
    await create({ client_secret: 'the-first-secret' });
  });
  afterEach(() => fixture.close());

  const create = (more: object) =>
    fixture.admin<ClientAnswer>('POST', '/admin/clients', {
      client_id: 'worker',
      grant_types: ['client_credentials'],
      ...more,
    });
  const patch = (path: string, value?: unknown) =>
    fixture.admin<ClientAnswer>('PATCH', '/admin/clients/worker', [
      value === undefined ? { op: 'remove', path } : { op: 'replace', path, value },
    ]);
  const works = async (secret: string): Promise<boolean> => {
    const basic = [`worker`, secret].map(encodeURIComponent).join(':');
    const answer = await fetch(`${fixture.url('oauth')}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return answer.status === 200;
  };

  it('is rotated by a patch: shown once, the one before dies at once, tokens live on', async () => {
    const { status, json } = await fixture.admin<ClientAnswer>('PATCH', '/admin/clients/worker', [
      { op: 'replace', path: '/client_secret', value: 'the-second:%+secret' },
    ]);
    assert.deepEqual([status, json.client_secret], [200, 'the-second:%+secret']);
    assert.equal((await fixture.admin<ClientAnswer>('GET', '/admin/clients/worker')).json.client_secret, undefined);
    assert.deepEqual([await works('the-first-secret'), await works('the-second:%+secret')], [false, true]);
  });

  it('has six characters or more', async () => {
    assert.equal((await patch('/client_secret', '12345')).status, 400);
    assert.equal((await patch('/client_secret', '123456')).status, 200);
    assert.equal(await works('123456'), true);
  });

  it('stays when it is removed, emptied, or not mentioned, and none is made in its place', async () => {
    for (const change of [
      () => patch('/client_secret'),
      () => patch('/client_secret', ''),
      () => patch('/client_name', 'Renamed'),
      () => fixture.admin<ClientAnswer>('PUT', '/admin/clients/worker', { grant_types: ['client_credentials'] }),
    ]) {
      const { status, json } = await change();
      assert.deepEqual([status, json.client_secret], [200, undefined]);
      assert.equal(await works('the-first-secret'), true);
    }
  });

  it('is not echoed for a public client, and comes back to life when the client has one again', async () => {
    assert.equal((await patch('/token_endpoint_auth_method', 'none')).status, 200);
    assert.equal(await works('the-first-secret'), false);
    assert.equal((await patch('/client_secret', 'the-second-secret')).json.client_secret, undefined);
    await patch('/token_endpoint_auth_method', 'client_secret_basic');
    assert.deepEqual([await works('the-first-secret'), await works('the-second-secret')], [false, true]);
  });

  it('does not exist for a client that was made public, until one is sent', async () => {
    await fixture.admin('DELETE', '/admin/clients/worker');
    const { json } = await create({ token_endpoint_auth_method: 'none', client_secret: undefined });
    assert.equal(json.client_secret, undefined);
    const changed = await patch('/token_endpoint_auth_method', 'client_secret_basic');
    assert.equal(changed.json.client_secret, undefined);
    for (const guess of ['', 'null', 'undefined']) assert.equal(await works(guess), false);
    assert.equal((await patch('/client_secret', 'at-last-a-secret')).json.client_secret, 'at-last-a-secret');
    assert.equal(await works('at-last-a-secret'), true);
  });

  it('is asked for when a PUT names no method: a public client becomes a confidential one', async () => {
    await patch('/token_endpoint_auth_method', 'none');
    const { json } = await fixture.admin<Record<string, unknown>>('PUT', '/admin/clients/worker', {});
    assert.equal(json.token_endpoint_auth_method, 'client_secret_basic');
  });
});

describe("what the sandbox's clients cannot be", () => {
  let fixture: SandboxFixture;
  before(async () => {
    fixture = await sandboxFixture();
  });
  after(() => fixture.close());

  const KEY = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
  const post = (body: object) =>
    fixture.admin<{ error: string; error_description: string }>('POST', '/admin/clients', body);
  const refused: [string, object][] = [
    ['jwks beside jwks_uri', { jwks: { keys: [KEY] }, jwks_uri: 'https://a.example/jwks.json' }],
    ['a key that is none', { jwks: { keys: [{ kty: 'oct', k: '' }] } }],
    ['a sector identifier over http', { sector_identifier_uri: 'http://a.example/sector.json' }],
    ['userinfo signed with HS256', { userinfo_signed_response_alg: 'HS256' }],
    ['any origin', { allowed_cors_origins: ['*'] }],
    ['an origin with a path', { allowed_cors_origins: ['https://a.example/app'] }],
    ['an unknown token strategy', { access_token_strategy: 'paper' }],
    [
      'a logout URI of another app',
      { redirect_uris: ['com.example.a:/cb'], post_logout_redirect_uris: ['com.example.b:/'] },
    ],
  ];
  for (const [what, body] of refused)
    it(`may not have ${what}, neither new nor changed`, async () => {
      const { status, json } = await post(body);
      assert.deepEqual([status, json.error], [400, 'invalid_client_metadata']);
      assert.notEqual(json.error_description, '');
      const made = await fixture.admin<ClientAnswer>('POST', '/admin/clients', {});
      const path = `/admin/clients/${made.json.client_id}`;
      assert.equal((await fixture.admin('PUT', path, body)).status, 400);
      const patch = Object.entries(body).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
      assert.equal((await fixture.admin('PATCH', path, patch)).status, 400);
    });

  const keys: [object | null | number, string][] = [
    [{ kty: 'x' }, "go-jose/go-jose: unknown json web key type 'x'"],
    [{}, "go-jose/go-jose: unknown json web key type ''"],
    [null, "go-jose/go-jose: unknown json web key type ''"],
    [{ kty: 'RSA' }, 'go-jose/go-jose: invalid RSA key, missing n/e values'],
    [{ kty: 'EC', crv: 'P-1', x: 'AQ', y: 'AQ' }, "go-jose/go-jose: unsupported elliptic curve 'P-1'"],
    [{ kty: 'oct' }, 'go-jose/go-jose: invalid OCT (symmetric) key, missing k value'],
    [{ kty: 'OKP', crv: 'X448', x: 'AQ' }, "go-jose/go-jose: unknown curve X448'"],
    [1, 'json: cannot unmarshal number into Go value of type jose.rawJSONWebKey'],
  ];
  for (const [key, why] of keys)
    it(`may not have the key ${JSON.stringify(key)}, in the decoder’s words`, async () => {
      const body = { jwks: { keys: [KEY, key] } };
      const refusal = {
        error: 'The request was malformed or contained invalid parameters',
        error_description: `Unable to decode the request body: ${why}`,
      };
      const { status, json } = await post(body);
      assert.deepEqual([status, json], [400, refusal]);
      const made = await fixture.admin<ClientAnswer>('POST', '/admin/clients', {});
      const path = `/admin/clients/${made.json.client_id}`;
      const put = await fixture.admin('PUT', path, body);
      assert.deepEqual([put.status, put.json], [400, refusal]);
      const patch = [{ op: 'add', path: '/jwks', value: body.jwks }];
      assert.equal((await fixture.admin('PATCH', path, patch)).status, 500);
    });

  const taken: object[] = [
    { jwks: { keys: [KEY] }, token_endpoint_auth_method: 'private_key_jwt' },
    { jwks_uri: 'https://a.example/jwks.json' },
    { sector_identifier_uri: 'https://a.example/sector.json' },
    { userinfo_signed_response_alg: 'RS256' },
    { allowed_cors_origins: ['https://a.example', 'http://localhost:3000/'] },
    { access_token_strategy: 'jwt' },
    { redirect_uris: ['com.example.a:/cb'], post_logout_redirect_uris: ['com.example.a:/'] },
  ];
  for (const body of taken)
    it(`may have ${JSON.stringify(body).slice(0, 60)}`, async () => {
      assert.equal((await post(body)).status, 201);
    });

  it('cannot be patched by move or copy, which are 500', async () => {
    const { json } = await fixture.admin<ClientAnswer>('POST', '/admin/clients', {});
    for (const op of ['move', 'copy', 'test']) {
      const patch = [{ op, from: '/owner', path: '/client_name', value: '' }];
      assert.equal((await fixture.admin('PATCH', `/admin/clients/${json.client_id}`, patch)).status, 500);
    }
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
