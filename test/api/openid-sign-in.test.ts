import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mock } from 'node:test';
import type { JsonObject } from '../../shared/json.ts';
import { startDashboard } from '../support/dashboard.ts';
import { jsonResponse, type Responder } from '../support/fake-provider.ts';
import { CookieJar, sessionIn } from '../support/http-sign-in.ts';
import { ofSuite } from '../support/of-suite.ts';
import * as openid from '../support/openid-double.ts';
import { CONFIDENTIAL_ID, startOpenidServer } from '../support/openid-server.ts';

const SOURCES = ['identity', 'email', 'claims'] as const;
const hashOf = (text: string): string => hash('sha256', text).slice(0, 32);

describe('a sign-in at a real OpenID provider', () => {
  let [passed, days] = [0, 0];
  const server = ofSuite(startOpenidServer);
  const dashboard = ofSuite(() =>
    startDashboard({
      now: () => Date.now() + days * 86_400_000,
      monotonic: () => performance.now() + passed,
    }),
  );
  let release: string;
  let identityId: string;
  before(async () => {
    server.serve(dashboard.baseUrl);
    release = await dashboard.signIn('admin');
    identityId = String(sessionIn(release)['identityId']);
    const { email } = dashboard.operator('admin');
    server.accounts[identityId] = { email };
    server.accounts['ada'] = { email: email.toUpperCase(), email_verified: true, groups: ['admins'] };
    server.accounts['eve'] = { email: 'eve@example.com', name: 'Eve', groups: ['viewers'] };
  });
  /** @returns the session cookie */
  async function sessionOf(sub: string): Promise<string> {
    const jar = new CookieJar();
    const { location } = await server.signIn(dashboard, sub, jar);
    assert.equal(location, '/dashboard');
    return jar.get('dashboard-session') ?? assert.fail('no session');
  }
  /** Signs in with these variables. @returns the session cookie */
  async function signIn(from: openid.Source, env: NodeJS.ProcessEnv = {}): Promise<string> {
    await dashboard.restart({ ...openid.openidVariables(server.url, from), ...env });
    return sessionOf(from === 'identity' ? identityId : 'ada');
  }
  const call = (path: string, session: string, json?: unknown) => dashboard.call(path, { session, json });
  const statusOf = async (session: string): Promise<number> => (await call('/api/auth/session', session)).status;

  for (const from of SOURCES)
    it(`finds the operator by ${from}, for a public client and a confidential one`, async () => {
      const confidential = { OAUTH_CLIENT_ID: CONFIDENTIAL_ID, OAUTH_CLIENT_SECRET: openid.CLIENT_SECRET };
      for (const env of [{}, confidential]) {
        const session = sessionIn(await signIn(from, env));
        const id = from === 'claims' ? `oidc:${hashOf(`${server.url}\0ada`)}` : identityId;
        const expected = [id, 'admin', `${from}:${hashOf(server.url)}`];
        assert.deepEqual([session['identityId'], session['role'], session['source']], expected);
      }
    });

  it('by claims may give the role of a support engineer, for whom no identity is that of an operator', async () => {
    const session = await signIn('claims', { EXTRA_ROLES: 'support', OPERATOR_ROLE_VALUES: 'support=admins' });
    const path = `/api/identity-admin/admin/identities/${identityId}`;
    const patched = async (pointer: string, json = [{ op: 'replace', path: pointer, value: 'active' }]) =>
      (await dashboard.call(path, { session, method: 'PATCH', json })).status;
    assert.deepEqual([await patched('/state'), await patched('/traits/role')], [200, 403]);
  });

  it('makes a session for this issuer and source of operators only, and none is named with AUTH_URL', async () => {
    assert.ok(!('source' in sessionIn(release)));
    const cookies: Record<string, string> = { AUTH_URL: release };
    const deployments: Record<string, NodeJS.ProcessEnv> = { AUTH_URL: {} };
    for (const from of SOURCES) {
      cookies[from] = await signIn(from);
      deployments[from] = openid.openidVariables(server.url, from);
    }
    deployments['another issuer'] = openid.openidVariables(`${server.url}/`);
    for (const [name, env] of Object.entries(deployments)) {
      await dashboard.restart(env);
      for (const [from, cookie] of Object.entries(cookies))
        assert.equal(await statusOf(cookie), from === name ? 200 : 401, `${from} at ${name}`);
    }
  });

  for (const [to, env, path] of [
    ['this dashboard', {}, undefined],
    ['the provider too if OAUTH_SIGN_OUT says so', { OAUTH_SIGN_OUT: 'provider' }, '/session/end'],
  ] as const)
    it(`ends with a sign-out from ${to}, and is required again`, async () => {
      const [session, jar] = [await signIn('claims', env), new CookieJar()];
      const out = await dashboard.call('/api/auth/logout', { session, method: 'POST' });
      jar.store(out);
      const address = out.headers.get('x-provider-sign-out')?.split('?')[0];
      assert.deepEqual([out.status, address], [204, path && server.url + path]);
      assert.equal(await statusOf(session), 401);
      for (const prompt of ['login', null]) {
        const { authorization, location } = await server.signIn(dashboard, 'ada', jar);
        assert.deepEqual([authorization.searchParams.get('prompt'), location], [prompt, '/dashboard']);
      }
    });

  it('by claims lists the operator without an identity, whom a revocation signs out, and who is forgotten in 400 days', async () => {
    const [ada, eve] = [await signIn('claims'), await sessionOf('eve')];
    const read = async (path: string) => (await call(path, ada)).json() as Promise<Record<string, JsonObject[]>>;
    const { operators = [], missing } = await read('/api/security/operators');
    const id = `oidc:${hashOf(`${server.url}\0eve`)}`;
    const { role, second_factor } = operators.find(({ identity_id }) => identity_id === id) ?? {};
    assert.deepEqual([role, second_factor, missing], ['viewer', null, 'provider']);
    const { names } = await read(`/api/security/operators/names?id=${id}`);
    assert.deepEqual(names, [{ identity_id: id, name: 'Eve', email: 'eve@example.com' }]);
    assert.equal((await call('/api/security/revocations', ada, { identity_id: id })).status, 204);
    assert.deepEqual([await statusOf(eve), await statusOf(ada)], [401, 200]);
    for (const [later, email] of [
      [399, 'eve@example.com'],
      [401, null],
    ] as const) {
      days = later;
      const response = await call(`/api/security/operators/names?id=${id}`, await signIn('claims'));
      assert.deepEqual((await response.json()).names[0].email, email, `${later} days later`);
    }
    days = 0;
  });

  it('lasts as long as the access token, at most eight hours, and says so if that is less than half an hour', async () => {
    for (const [seconds, length, minutes] of [
      [299, 299, '5'],
      [1799, 1799, '30'],
      [1800, 1800, null],
      [86_400, 28_800, null],
    ] as const) {
      server.seconds = seconds;
      const session = await signIn('claims');
      const { issuedAt, expiresAt } = sessionIn(session);
      const { headers } = await call('/api/auth/session', session);
      assert.deepEqual([Number(expiresAt) - Number(issuedAt), headers.get('x-session-minutes')], [length, minutes]);
    }
    server.seconds = 3600;
  });

  it('ends with a session even if signing keys are rotated meanwhile', async () => {
    const { SESSION_SIGNING_KEY } = dashboard.env;
    const rotated = { SESSION_SIGNING_KEY: 'x'.repeat(32), SESSION_SIGNING_KEY_PREVIOUS: SESSION_SIGNING_KEY };
    await signIn('claims');
    const rotate = () => dashboard.restart({ ...openid.openidVariables(server.url), ...rotated });
    assert.equal((await server.signIn(dashboard, 'ada', new CookieJar(), rotate)).location, '/dashboard');
  });

  it('works with a new key of the provider after a minute, and reads its keys once until then', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() });
    try {
      await signIn('claims');
      const keysRead = (): number => server.paths.filter((path) => path === '/jwks').length;
      const readBefore = keysRead();
      server.serve(dashboard.baseUrl);
      const results: unknown[] = [];
      for (const seconds of [0, 50, 11]) {
        mock.timers.tick(seconds * 1000);
        passed += seconds * 1000;
        results.push((await server.signIn(dashboard, 'ada')).location, keysRead() - readBefore);
      }
      const refused = '/sign-in-failed?reason=provider_refused';
      assert.deepEqual(results, [refused, 0, refused, 0, '/dashboard', 1]);
    } finally {
      mock.timers.reset();
    }
  });
});

describe('the metadata of an OpenID provider', () => {
  const double = ofSuite(openid.startOpenidDouble);
  beforeEach(() => double.reset());
  let now = 0;
  const provider = (issuer = double.url) => openid.providerAt(issuer, {}, () => now);

  it('is read once at a time, at most once an hour, and at most every five seconds after a failure', async () => {
    const { authorizationUrl } = provider();
    const reads: number[] = [];
    const begin = async (at: number, instead: Record<string, Responder> = {}): Promise<void> => {
      [now, double.instead] = [at, instead];
      await Promise.allSettled([1, 2, 3].map(() => authorizationUrl(openid.ATTEMPT)));
      reads.push(double.requests.length);
    };
    for (const at of [0, 4_999]) await begin(at, { discovery: jsonResponse({}, 500) });
    for (const at of [5_000, 3_604_999, 3_605_000]) await begin(at);
    assert.deepEqual(reads, [1, 1, 2, 2, 3]);
  });

  it('says how to make sure who signs in after a sign-out', async () => {
    for (const [prompts, prompt] of [
      [undefined, 'login'],
      [['none', 'login'], 'login'],
      [['none', 'select_account'], 'select_account'],
    ] as const) {
      double.discovery['prompt_values_supported'] = prompts;
      const { searchParams } = new URL(await provider().authorizationUrl({ ...openid.ATTEMPT, again: true }));
      assert.equal(searchParams.get('prompt'), prompt);
    }
  });

  it('says how the secret of a client is sent', async () => {
    const sent: unknown[] = [];
    double.instead['token'] = ({ headers, form }, res) => {
      sent.push(headers.authorization?.slice(0, 5) ?? form.get('client_secret'));
      res.end();
    };
    for (const methods of [undefined, ['client_secret_post'], ['client_secret_post', 'client_secret_basic']]) {
      double.discovery['token_endpoint_auth_methods_supported'] = methods;
      const { redeem } = openid.providerAt(double.url, { clientSecret: 'secret' });
      await assert.rejects(redeem(openid.ATTEMPT));
    }
    assert.deepEqual(sent, ['Basic', 'secret', 'Basic']);
  });

  it('is not required for a sign-out, which is then the dashboard’s alone', async () => {
    assert.equal(await provider('http://127.0.0.1:1').signOutUrl(), undefined);
    double.discovery['end_session_endpoint'] = undefined;
    assert.equal(await provider().signOutUrl(), undefined);
  });

  it('says where a session of the provider ends', async () => {
    const back = encodeURIComponent('http://localhost:3000/signed-out');
    const query = `of=session&client_id=${openid.CLIENT_ID}&post_logout_redirect_uri=${back}`;
    assert.equal(await provider().signOutUrl(), `${double.url}/end?${query}`);
  });
});
