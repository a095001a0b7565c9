import assert from 'node:assert/strict';
import * as oauth from 'openid-client';
import type { Dashboard } from '../support/dashboard.ts';
import {
  type FakeProvider,
  jsonResponse,
  OPERATOR_ID,
  operatorIdentity,
  type ProviderFlow,
  setCookieOf,
  startProviderFlow,
} from '../support/fake-provider.ts';
import { CookieJar } from '../support/http-sign-in.ts';
import { ofSuite } from '../support/of-suite.ts';

describe('a sign-in', () => {
  const flow = ofSuite(startProviderFlow);
  let provider: FakeProvider;
  let dashboard: Dashboard;
  let begin: ProviderFlow['begin'];
  let finish: ProviderFlow['finish'];
  let signIn: ProviderFlow['signIn'];

  before(async () => {
    ({ provider, dashboard, begin, finish, signIn } = flow);
  });
  beforeEach(() => provider.reset());

  const locationOf = (response: Response): string | null => response.headers.get('location');

  it('begins with exactly the parameters that an independent OAuth client sends, PKCE among them', async () => {
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
    const exchange = provider.requests.find(({ path }) => path === '/oauth2/token');
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

  it('exchanges the code as a public client, and puts only operator, deployment and validity into the session cookie', async () => {
    const done = await signIn();
    const exchange = provider.requests.find(({ path }) => path === '/oauth2/token');
    const sent = [...(exchange?.form.keys() ?? [])].sort().join(' ');
    assert.equal(sent, 'client_id code code_verifier grant_type redirect_uri');
    assert.equal(exchange?.headers.authorization, undefined);
    assert.equal(locationOf(done), '/dashboard');
    const line = setCookieOf(done, 'dashboard-session') ?? '';
    assert.match(line, /; Max-Age=3600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
    const payload = JSON.parse(Buffer.from(line.slice(18).split('.')[0] ?? '', 'base64url').toString()) as object;
    const members = Object.keys(payload).sort().join(' ');
    assert.equal(members, 'deployment email epoch expiresAt identityId issuedAt role sessionId');
    assert.match(setCookieOf(done, 'oauth_state') ?? '', /Expires=Thu, 01 Jan 1970/);
  });

  it('leads to a session as long as the token lasts, an hour if that is unknown, and eight hours at most', async () => {
    for (const [expires_in, maxAge] of [
      [60, 60],
      [100_000, 28_800],
      [undefined, 3600],
    ]) {
      provider.token = jsonResponse({ access_token: 't', token_type: 'bearer', expires_in });
      assert.match(setCookieOf(await signIn(), 'dashboard-session') ?? '', new RegExp(`Max-Age=${maxAge};`));
    }
  });

  const unchanged = (state: string): string => state;
  const flipped = (state: string): string => `${state.startsWith('x') ? 'y' : 'x'}${state.slice(1)}`;
  const MISMATCHES: [cause: string, cookie: typeof unchanged, sent: typeof unchanged, location: string][] = [
    ['a changed state', unchanged, flipped, '/api/auth/login?attempt=2'],
    ['a foreign state', unchanged, () => 'foreign', '/api/auth/login'],
    ['no state cookie', () => '', unchanged, '/api/auth/login?attempt=2'],
    ['a planted state cookie without its verifier', () => 'planted', () => 'planted', '/api/auth/login'],
  ];
  for (const [cause, cookie, sent, location] of MISMATCHES)
    it(`whose callback has ${cause} starts again without a request to the provider`, async () => {
      const jar = new CookieJar();
      const state = (await begin(jar)).searchParams.get('state') ?? '';
      jar.set('oauth_state', cookie(state));
      const done = await finish(jar, { code: 'c', state: sent(state) });
      assert.equal(done.status, 302);
      assert.equal(locationOf(done), location);
      assert.equal(setCookieOf(done, 'dashboard-session'), undefined);
      assert.deepEqual(provider.requests, []);
    });

  it('succeeds even if the callback also has foreign cookies of the same names', async () => {
    for (const others of ['oauth_state=foreign; dashboard-login=a.b.c', 'oauth_state=j:{}; dashboard-login=']) {
      const jar = new CookieJar();
      const state = (await begin(jar)).searchParams.get('state') ?? '';
      const cookie = `${others}; ${jar.header()}; ${others}`;
      const done = await finish(new CookieJar(), { code: 'c', state }, { headers: { cookie } });
      assert.equal(locationOf(done), '/dashboard');
    }
  });

  it('with two different session cookies does not start, deletes neither, and leads to the page about cookies', async () => {
    const login = (cookie: string) => dashboard.call('/api/auth/login', { headers: { cookie } });
    const done = await login('dashboard-session=one; dashboard-session=two');
    assert.deepEqual(
      [done.status, locationOf(done), done.headers.getSetCookie()],
      [302, '/sign-in-failed?reason=cookies', []],
    );
    for (const harmless of ['dashboard-session=one', 'dashboard-session=one; dashboard-session=one'])
      assert.match(locationOf(await login(harmless)) ?? '', /\/oauth2\/auth\?/);
  });

  it('whose state mismatches three times ends on the page about cookies', async () => {
    let location = '/api/auth/login';
    const locations: string[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const state = (await begin(new CookieJar(), location)).searchParams.get('state') ?? '';
      location = locationOf(await finish(new CookieJar(), { code: 'c', state })) ?? '';
      locations.push(location);
    }
    const [second, third] = ['/api/auth/login?attempt=2', '/api/auth/login?attempt=3'];
    assert.deepEqual(locations, [second, third, '/sign-in-failed?reason=cookies']);
  });

  it('never puts a subject that is not a UUID into a URL of the store', async () => {
    provider.userinfo = jsonResponse({ sub: '../../admin/keys', email: 'a@b.c', role: 'admin' });
    assert.equal(locationOf(await signIn()), '/sign-in-failed?reason=inactive');
    const paths = provider.requests.map(({ path }) => path);
    assert.deepEqual(paths, ['/oauth2/token', '/oauth2/userinfo']);
  });

  it('takes the role from the store, whatever userinfo claims', async () => {
    provider.userinfo = jsonResponse({
      sub: OPERATOR_ID,
      email: 'ada@example.com',
      role: 'admin',
      traits: { role: 'admin' },
    });
    provider.identity = jsonResponse(operatorIdentity({ email: 'ada@example.com', role: 'viewer' }));
    const jar = new CookieJar();
    await signIn(jar);
    const session = await dashboard.call('/api/auth/session', { session: jar.get('dashboard-session') });
    assert.deepEqual(await session.json(), {
      user: { identityId: OPERATOR_ID, email: 'ada@example.com', role: 'viewer' },
    });
  });

  it('takes the role from userinfo if no store is configured', async () => {
    await dashboard.restart({ AUTH_IDENTITY_ADMIN_URL: '', IDENTITY_ADMIN_URL: '', OPERATOR_SCHEMA_IDS: '' });
    const traits = { email: 'b@example.com', role: 'viewer' };
    provider.userinfo = jsonResponse({ sub: 'some-subject', traits, role: 'admin' });
    const jar = new CookieJar();
    await signIn(jar);
    const response = await dashboard.call('/api/auth/session', { session: jar.get('dashboard-session') });
    assert.deepEqual(await response.json(), {
      user: { identityId: 'some-subject', email: 'b@example.com', role: 'viewer' },
    });
    await dashboard.restart();
  });

  it('requests /userinfo if /oauth2/userinfo is not found, as with Hydra, and remembers that', async () => {
    provider.userinfo = (request, res) =>
      request.path === '/userinfo'
        ? jsonResponse({ sub: OPERATOR_ID, email: 'ada@example.com' })(request, res)
        : void res.writeHead(404).end('<html>');
    await signIn();
    await signIn();
    const paths = provider.requests.map(({ path }) => path).filter((path) => path.endsWith('userinfo'));
    assert.deepEqual(paths, ['/oauth2/userinfo', '/userinfo', '/userinfo']);
  });

  function assertRefused(response: Response, reason: string): void {
    assert.equal(response.status, 302);
    assert.equal(locationOf(response), `/sign-in-failed?reason=${reason}`);
    assert.equal(setCookieOf(response, 'dashboard-session'), undefined);
  }
  const withoutEmail = (fake: FakeProvider): void => {
    fake.userinfo = jsonResponse({ sub: OPERATOR_ID });
    fake.identity = jsonResponse(operatorIdentity({ role: 'viewer' }));
  };
  const withIdentity =
    (body: object, status?: number) =>
    (fake: FakeProvider): void => {
      fake.identity = jsonResponse(body, status);
    };

  const REFUSALS: [cause: string, arrange: (fake: FakeProvider) => void, reason: string][] = [
    ['a refused code', (fake) => (fake.token = jsonResponse({ error: 'invalid_grant' }, 400)), 'provider_refused'],
    ['userinfo without sub', (fake) => (fake.userinfo = jsonResponse({ email: 'a@b.c' })), 'provider_refused'],
    ['a failing provider', (fake) => (fake.token = jsonResponse({ error: 'x' }, 500)), 'provider_unreachable'],
    ['an unknown role', withIdentity(operatorIdentity({ email: 'a@b.c', role: 'Admin' })), 'no_role'],
    ['a role that is off', withIdentity(operatorIdentity({ email: 'a@b.c', role: 'support' })), 'no_role'],
    ['no role', withIdentity(operatorIdentity({ email: 'a@b.c' })), 'no_role'],
    ['no e-mail address', withoutEmail, 'no_email'],
    ['an identity of another schema', withIdentity({ ...operatorIdentity(), schema_id: 'customer' }), 'no_role'],
    ['an inactive identity', withIdentity({ ...operatorIdentity(), state: 'inactive' }), 'inactive'],
    ['a deleted identity', withIdentity({ error: { code: 404 } }, 404), 'inactive'],
    ['a store that returns another identity', withIdentity({ ...operatorIdentity(), id: 'x' }), 'provider_unreachable'],
    ['a store that refuses our key', withIdentity({ error: { code: 401 } }, 401), 'store_key'],
  ];
  for (const [cause, arrange, reason] of REFUSALS)
    it(`with ${cause} ends without a session, on the page for ${reason}`, async () => {
      arrange(provider);
      assertRefused(await signIn(), reason);
    });

  it('ends on the page for store_key when the stored key of the identity store cannot be decrypted', async () => {
    const jar = new CookieJar();
    await signIn(jar);
    const stored = await dashboard.call('/api/settings', {
      session: jar.get('dashboard-session'),
      json: { key: 'upstream.identity-admin.api_key', value: 'key-of-the-store' },
    });
    assert.equal(stored.status, 201);
    await dashboard.restart({
      ENCRYPTION_KEY: 'another-encryption-key-of-the-tests-0123456789',
      // The key stored for the identity admin API is used for the operators' store only if both have one address.
      IDENTITY_ADMIN_URL: provider.url,
    });
    assertRefused(await signIn(), 'store_key');
    await dashboard.restart();
    assert.equal(locationOf(await signIn()), '/dashboard');
  });

  it('with a role only in the traits ends without a session if OPERATOR_ROLE_FROM is metadata_admin.role', async () => {
    await dashboard.restart({ OPERATOR_ROLE_FROM: 'metadata_admin.role' });
    assertRefused(await signIn(), 'no_role');
    provider.identity = jsonResponse({ ...operatorIdentity({ email: 'a@b.c' }), metadata_admin: { role: 'admin' } });
    assert.equal(locationOf(await signIn()), '/dashboard');
    await dashboard.restart();
  });

  it('ends without a session when the store or the provider does not respond', async () => {
    await dashboard.restart({ PROXY_TIMEOUT_MS: '1000' });
    provider.identity = () => {};
    assertRefused(await signIn(), 'provider_unreachable');
    provider.token = () => {};
    const silent = await signIn(new CookieJar(), { headers: { accept: 'application/json' } });
    assert.equal(silent.status, 504);
    assert.equal(((await silent.json()) as { error: string }).error, 'gateway_timeout');
    await dashboard.restart();
  });
});
