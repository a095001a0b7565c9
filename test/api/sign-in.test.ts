import assert from 'node:assert/strict';
import * as oauth from 'openid-client';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { activeOperator, type FakeProvider, json, OPERATOR_ID, startFakeProvider } from '../support/fake-provider.ts';
import { CookieJar, visit } from '../support/http-sign-in.ts';

const cookieLine = (response: Response, name: string): string | undefined =>
  response.headers.getSetCookie().find((line) => line.startsWith(`${name}=`));

describe('sign-in', () => {
  let provider: FakeProvider;
  let dashboard: Dashboard;

  beforeEach(async () => {
    provider = await startFakeProvider();
    dashboard = await startDashboard({ env: providerEnv() });
  });
  afterEach(async () => {
    await dashboard.close();
    await provider.close();
  });

  const providerEnv = (): NodeJS.ProcessEnv => ({
    AUTH_URL: provider.url,
    AUTH_INTERNAL_URL: provider.url,
    AUTH_IDENTITY_ADMIN_URL: provider.url,
    OPERATOR_SCHEMA_IDS: 'operator',
    PROXY_TIMEOUT_MS: '1000',
  });

  async function begin(jar: CookieJar, path = '/api/auth/login'): Promise<URL> {
    const response = await visit(`${dashboard.url}${path}`, jar);
    assert.equal(response.status, 302);
    return new URL(response.headers.get('location') ?? '');
  }
  const finish = (jar: CookieJar, query: Record<string, string>, init?: RequestInit): Promise<Response> =>
    visit(`${dashboard.url}/api/auth/callback?${new URLSearchParams(query)}`, jar, init);
  async function signIn(jar = new CookieJar(), init?: RequestInit): Promise<Response> {
    const state = (await begin(jar)).searchParams.get('state') ?? '';
    return finish(jar, { code: 'code-of-the-test', state }, init);
  }

  it('begins with exactly the parameters that an independent client would send', async () => {
    const jar = new CookieJar();
    const url = await begin(jar);
    const configuration = new oauth.Configuration(
      { issuer: provider.url, authorization_endpoint: `${provider.url}/oauth2/auth` },
      'dashboard',
      undefined,
      oauth.None(),
    );
    oauth.allowInsecureRequests(configuration);
    await finish(jar, { code: 'c', state: url.searchParams.get('state') ?? '' });
    const exchange = provider.seen.find(({ path }) => path === '/oauth2/token');
    const verifier = exchange?.form.get('code_verifier') ?? '';
    const expected = oauth.buildAuthorizationUrl(configuration, {
      redirect_uri: `${dashboard.baseUrl}/api/auth/callback`,
      scope: 'openid profile email',
      state: url.searchParams.get('state') ?? '',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const sorted = (address: URL): string[] => [...address.searchParams].map(String).sort();
    assert.deepEqual(sorted(url), sorted(expected));
    assert.equal(url.origin + url.pathname, expected.origin + expected.pathname);
    assert.match(verifier, /^[\w.~-]{43,128}$/);
  });

  it('exchanges the code as a public client, without a secret', async () => {
    await signIn();
    const exchange = provider.seen.find(({ path }) => path === '/oauth2/token');
    assert.deepEqual([...(exchange?.form.keys() ?? [])].sort(), [
      'client_id',
      'code',
      'code_verifier',
      'grant_type',
      'redirect_uri',
    ]);
    assert.equal(exchange?.headers.authorization, undefined);
  });

  it('sets the session cookie with the attributes of the contract and nothing secret in it', async () => {
    const done = await signIn();
    assert.equal(done.headers.get('location'), '/dashboard');
    const line = cookieLine(done, 'dashboard-session') ?? '';
    assert.match(line, /; Max-Age=3600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
    const payload = JSON.parse(Buffer.from(line.slice(18).split('.')[0] ?? '', 'base64url').toString()) as object;
    assert.deepEqual(Object.keys(payload).sort(), [
      'deployment',
      'email',
      'epoch',
      'expiresAt',
      'identityId',
      'issuedAt',
      'role',
      'sessionId',
    ]);
    assert.match(cookieLine(done, 'oauth_state') ?? '', /Expires=Thu, 01 Jan 1970/);
  });

  for (const [expiresIn, maxAge] of [
    [60, 60],
    [28_800, 28_800],
    [100_000, 28_800],
    [undefined, 3600],
  ])
    it(`with expires_in ${expiresIn} gives a session of ${maxAge} seconds`, async () => {
      provider.token = json({ access_token: 't', token_type: 'bearer', expires_in: expiresIn });
      assert.match(cookieLine(await signIn(), 'dashboard-session') ?? '', new RegExp(`Max-Age=${maxAge};`));
    });

  it('in production marks every cookie Secure and names the verifier cookie __Host-', async () => {
    await dashboard.restart({ NODE_ENV: 'production' });
    const login = await visit(`${dashboard.url}/api/auth/login`, new CookieJar());
    const lines = login.headers.getSetCookie();
    assert.deepEqual(
      lines.map((line) => line.split('=')[0]),
      ['oauth_state', '__Host-dashboard-login'],
    );
    for (const line of lines)
      assert.match(line, /Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/);
    assert.match(cookieLine(await signIn(), 'dashboard-session') ?? '', /; HttpOnly; Secure; SameSite=Strict$/);
  });

  const mismatches: [string, (state: string, jar: CookieJar) => Record<string, string>, string][] = [
    ['a changed state', (state) => ({ state: `x${state.slice(1)}` }), '/api/auth/login?attempt=2'],
    ['no state', () => ({}), '/api/auth/login'],
    ['a foreign state', () => ({ state: 'foreign' }), '/api/auth/login'],
    [
      'no state cookie',
      (state, jar) => {
        jar.set('oauth_state', '');
        return { state };
      },
      '/api/auth/login?attempt=2',
    ],
    [
      'a planted state cookie without its verifier',
      (_state, jar) => {
        jar.set('oauth_state', 'planted');
        return { state: 'planted' };
      },
      '/api/auth/login',
    ],
    [
      'a verifier cookie whose expiry was edited',
      (state, jar) => {
        const [verifier, expires, tag] = (jar.get('dashboard-login') ?? '').split('.');
        jar.set('dashboard-login', `${verifier}.${Number(expires) + 1}.${tag}`);
        return { state };
      },
      '/api/auth/login?attempt=2',
    ],
  ];
  for (const [title, change, target] of mismatches)
    it(`with ${title} starts again and asks the provider nothing`, async () => {
      const jar = new CookieJar();
      const state = (await begin(jar)).searchParams.get('state') ?? '';
      const done = await finish(jar, { code: 'c', ...change(state, jar) });
      assert.equal(done.status, 302);
      assert.equal(done.headers.get('location'), target);
      assert.equal(cookieLine(done, 'dashboard-session'), undefined);
      assert.deepEqual(provider.seen, []);
    });

  it('that mismatches three times ends on a page instead of going round', async () => {
    let location = '/api/auth/login';
    const seen: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const state = (await begin(new CookieJar(), location)).searchParams.get('state') ?? '';
      location = (await finish(new CookieJar(), { code: 'c', state })).headers.get('location') ?? '';
      seen.push(location);
    }
    assert.deepEqual(seen, [
      '/api/auth/login?attempt=2',
      '/api/auth/login?attempt=3',
      '/sign-in-failed?reason=cookies',
    ]);
  });

  it('does nothing when its callback is sent twice', async () => {
    const jar = new CookieJar();
    const state = (await begin(jar)).searchParams.get('state') ?? '';
    await finish(jar, { code: 'c', state });
    const again = await finish(jar, { code: 'c', state });
    assert.equal(again.headers.get('location'), '/api/auth/login?attempt=2');
    assert.equal(cookieLine(again, 'dashboard-session'), undefined);
    assert.equal(provider.seen.filter(({ path }) => path === '/oauth2/token').length, 1);
  });

  it('in two tabs at once lets the later one in and restarts the earlier', async () => {
    const jar = new CookieJar();
    const first = (await begin(jar)).searchParams.get('state') ?? '';
    const second = (await begin(jar)).searchParams.get('state') ?? '';
    assert.equal((await finish(jar, { code: 'c', state: first })).headers.get('location'), '/api/auth/login?attempt=2');
    assert.equal((await finish(jar, { code: 'c', state: second })).headers.get('location'), '/dashboard');
  });

  const refusals: [string, (fake: FakeProvider) => void, string][] = [
    ['a refused code', (fake) => (fake.token = json({ error: 'invalid_grant' }, 400)), 'provider_refused'],
    [
      'a token answer that is no JSON',
      (fake) => (fake.token = (_r, res) => void res.end('<html>')),
      'provider_refused',
    ],
    ['no access token', (fake) => (fake.token = json({ expires_in: 60 })), 'provider_refused'],
    ['expires_in 0', (fake) => (fake.token = json({ access_token: 't', expires_in: 0 })), 'provider_refused'],
    ['expires_in as text', (fake) => (fake.token = json({ access_token: 't', expires_in: '60' })), 'provider_refused'],
    ['userinfo without sub', (fake) => (fake.userinfo = json({ email: 'a@b.c' })), 'provider_refused'],
    [
      'a refused token at userinfo',
      (fake) => (fake.userinfo = json({ error: 'request_unauthorized' }, 401)),
      'provider_refused',
    ],
    [
      'a redirect instead of tokens',
      (fake) => (fake.token = (_r, res) => void res.writeHead(307, { Location: '/x' }).end()),
      'provider_refused',
    ],
    ['a provider that fails', (fake) => (fake.token = json({ error: 'server_error' }, 500)), 'provider_unreachable'],
    ['a provider that is silent', (fake) => (fake.token = () => {}), 'provider_unreachable'],
    [
      'a role that is neither',
      (fake) => (fake.identity = json(activeOperator({ email: 'a@b.c', role: 'Admin' }))),
      'no_role',
    ],
    ['no role', (fake) => (fake.identity = json(activeOperator({ email: 'a@b.c' }))), 'no_role'],
    ['another schema', (fake) => (fake.identity = json({ ...activeOperator(), schema_id: 'customer' })), 'no_role'],
    ['an inactive identity', (fake) => (fake.identity = json({ ...activeOperator(), state: 'inactive' })), 'inactive'],
    ['an identity that is gone', (fake) => (fake.identity = json({ error: { code: 404 } }, 404)), 'inactive'],
    [
      'a store that answers for another identity',
      (fake) => (fake.identity = json({ ...activeOperator(), id: 'x' })),
      'provider_unreachable',
    ],
    [
      'a store that wants another key',
      (fake) => (fake.identity = json({ error: { code: 401 } }, 401)),
      'provider_unreachable',
    ],
    ['a store that is silent', (fake) => (fake.identity = () => {}), 'provider_unreachable'],
    [
      'a store that answers HTML 404',
      (fake) => (fake.identity = (_r, res) => void res.writeHead(404).end('not found')),
      'provider_unreachable',
    ],
  ];
  for (const [title, misbehave, reason] of refusals)
    it(`with ${title} ends without a session, on the page for ${reason}`, async () => {
      misbehave(provider);
      const done = await signIn();
      assert.equal(done.status, 302);
      assert.equal(done.headers.get('location'), `/sign-in-failed?reason=${reason}`);
      assert.equal(cookieLine(done, 'dashboard-session'), undefined);
    });

  it('never writes a subject that is no UUID into the address of the store', async () => {
    provider.userinfo = json({ sub: '../../admin/keys', email: 'a@b.c', role: 'admin' });
    assert.equal((await signIn()).headers.get('location'), '/sign-in-failed?reason=inactive');
    assert.deepEqual(
      provider.seen.map(({ path }) => path),
      ['/oauth2/token', '/oauth2/userinfo'],
    );
  });

  it('takes the role from the store, whatever userinfo claims', async () => {
    provider.userinfo = json({ sub: OPERATOR_ID, email: 'ada@example.com', role: 'admin', traits: { role: 'admin' } });
    provider.identity = json(activeOperator({ email: 'ada@example.com', role: 'viewer' }));
    const jar = new CookieJar();
    await signIn(jar);
    const session = await dashboard.call('/api/auth/session', { session: jar.get('dashboard-session') });
    assert.deepEqual(await session.json(), {
      user: { identityId: OPERATOR_ID, email: 'ada@example.com', role: 'viewer' },
    });
  });

  it('takes the role from userinfo where no store is configured', async () => {
    await dashboard.restart({ AUTH_IDENTITY_ADMIN_URL: '', IDENTITY_ADMIN_URL: '', OPERATOR_SCHEMA_IDS: '' });
    provider.userinfo = json({
      sub: 'some-subject',
      traits: { email: 'b@example.com', role: 'viewer' },
      role: 'admin',
    });
    const jar = new CookieJar();
    await signIn(jar);
    const answer = await dashboard.call('/api/auth/session', { session: jar.get('dashboard-session') });
    assert.deepEqual(await answer.json(), {
      user: { identityId: 'some-subject', email: 'b@example.com', role: 'viewer' },
    });
  });

  it('asks /userinfo where /oauth2/userinfo is not found, and remembers it', async () => {
    provider.userinfo = (request, res) =>
      request.path === '/userinfo'
        ? json({ sub: OPERATOR_ID, email: 'ada@example.com' })(request, res)
        : void res.writeHead(404).end('<html>');
    await signIn();
    await signIn();
    const paths = provider.seen.map(({ path }) => path).filter((path) => path.endsWith('userinfo'));
    assert.deepEqual(paths, ['/oauth2/userinfo', '/userinfo', '/userinfo']);
  });

  it('that the operator cancels ends on the page for denied', async () => {
    const jar = new CookieJar();
    const state = (await begin(jar)).searchParams.get('state') ?? '';
    const done = await finish(jar, { error: 'access_denied', state });
    assert.equal(done.headers.get('location'), '/sign-in-failed?reason=denied');
    assert.match(cookieLine(done, 'oauth_state') ?? '', /1970/);
  });

  it('answers a caller that is no browser in the error shape', async () => {
    const asJson = { headers: { accept: 'application/json' } };
    provider.token = json({ error: 'invalid_grant' }, 400);
    const refused = await signIn(new CookieJar(), asJson);
    assert.equal(refused.status, 401);
    assert.equal(((await refused.json()) as { error: string }).error, 'not_authenticated');
    provider.token = () => {};
    const silent = await signIn(new CookieJar(), asJson);
    assert.equal(silent.status, 504);
    assert.equal(((await silent.json()) as { error: string }).error, 'gateway_timeout');
    await provider.close();
    const away = await signIn(new CookieJar(), asJson);
    assert.equal(away.status, 502);
    assert.equal(((await away.json()) as { error: string }).error, 'bad_gateway');
  });

  it('lets 32 callbacks wait for the provider and refuses the next for now', async () => {
    await dashboard.restart({ PROXY_TIMEOUT_MS: '15000' });
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    provider.token = (request, res) =>
      void released.then(() => json({ access_token: 't', expires_in: 60 })(request, res));
    const waiting = Array.from({ length: 32 }, () => signIn());
    while (provider.seen.length < 32) await new Promise((resolve) => setTimeout(resolve, 10));
    const refused = await signIn();
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '5');
    release();
    for (const done of await Promise.all(waiting)) assert.equal(done.headers.get('location'), '/dashboard');
  });
});
