import assert from 'node:assert/strict';
import { type Dashboard, startDashboard, startReplica } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type FakeProvider, jsonResponse, operatorIdentity, startProviderFlow } from '../support/fake-provider.ts';
import { CookieJar, sessionIn, visit } from '../support/http-sign-in.ts';
import { ofSuite, ofTest } from '../support/of-suite.ts';

const HOUR_MS = 3_600_000;

const isDeleted = (response: Response): boolean =>
  response.headers.getSetCookie().some((line) => /^dashboard-session=;.*Expires=Thu, 01 Jan 1970/.test(line));

describe('a session', () => {
  const flow = ofSuite(() =>
    startProviderFlow({ now: () => performance.timeOrigin + monotonic() + wrongBy, monotonic }),
  );
  let provider: FakeProvider;
  let dashboard: Dashboard;
  /** The error of the wall clock in milliseconds. */
  let wrongBy = 0;
  /** The milliseconds that have passed in addition to real time. */
  let elapsed = 0;
  /** The time at which the monotonic clock is stopped, or undefined while it runs. */
  let stoppedAt: number | undefined;
  const monotonic = (): number => (stoppedAt ?? performance.now()) + elapsed;

  before(async () => {
    ({ provider, dashboard } = flow);
  });
  beforeEach(() => {
    wrongBy = 0;
    stoppedAt = undefined;
    provider.reset();
    pass(31);
  });

  /** Lets time pass. The check of an operator is cached for thirty seconds. */
  function pass(seconds: number): void {
    elapsed += seconds * 1000;
  }
  async function signIn(jar = new CookieJar()): Promise<string> {
    await flow.signIn(jar);
    return jar.get('dashboard-session') ?? '';
  }
  const read = (session: string, path = '/api/config'): Promise<Response> => dashboard.call(path, { session });
  const statusOf = async (session: string): Promise<number> => (await read(session)).status;

  it('is described to its operator by /api/auth/session, which responds {"error":"Not authenticated"} to others', async () => {
    const session = await signIn();
    const described = await read(session, '/api/auth/session');
    assert.deepEqual(Object.keys((await described.json()).user), ['identityId', 'email', 'role']);
    const { expiresAt } = JSON.parse(Buffer.from(session.split('.')[0] ?? '', 'base64url').toString());
    assert.equal(described.headers.get('x-session-expires'), new Date(expiresAt * 1000).toISOString());
    const none = await dashboard.call('/api/auth/session');
    assert.equal(none.status, 401);
    assert.equal(none.headers.get('content-type'), 'application/json');
    assert.equal(none.headers.has('x-session-expires'), false);
    assert.equal(await none.text(), '{"error":"Not authenticated"}');
    assert.equal(isDeleted(none), false);
  });

  it('is refused with 401 and the documented texts if its cookie was changed, and the cookie is deleted', async () => {
    const session = await signIn();
    const refused = await read(`${session.slice(0, -2)}AA`, '/api/settings');
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('content-type'), 'application/json');
    assert.deepEqual(await refused.json(), {
      error: 'not_authenticated',
      message: 'Authentication required.',
      hint: 'Authenticate via /api/auth/login',
    });
    assert.equal(isDeleted(refused), true);
    assert.equal(isDeleted(await read('x.y', '/api/auth/session')), true);
  });

  it('ends by the clock of the server, even if the browser still sends its cookie', async () => {
    const session = await signIn();
    pass(3500);
    assert.equal(await statusOf(session), 200);
    pass(101);
    const refused = await read(session);
    assert.equal(refused.status, 401);
    assert.equal(isDeleted(refused), true);
  });

  it('is refused if the request has a different session cookie, too, and neither cookie is deleted', async () => {
    const [first, second] = [await signIn(), await signIn()];
    const send = (cookie: string): Promise<Response> => dashboard.call('/api/config', { headers: { cookie } });
    const both = await send(`dashboard-session=${first}; dashboard-session=${second}`);
    assert.equal(both.status, 401);
    assert.equal(isDeleted(both), false);
    assert.equal((await send(`dashboard-session=${first};dashboard-session=${first}`)).status, 200);
  });

  it('stays ended after its sign-out and a restart, while another session of the operator continues', async () => {
    const [other, session] = [await signIn(), await signIn()];
    const signedOut = await dashboard.call('/api/auth/logout', { session, method: 'POST' });
    assert.equal(signedOut.status, 204);
    assert.equal(isDeleted(signedOut), true);
    assert.deepEqual([await statusOf(session), await statusOf(other)], [401, 200]);
    await dashboard.restart();
    assert.deepEqual([await statusOf(session), await statusOf(other)], [401, 200]);
  });

  it('survives a rotation of the signing key while its own key remains as the previous one, and is refused without that', async () => {
    const session = await signIn();
    const old = dashboard.env.SESSION_SIGNING_KEY ?? '';
    const fresh = 'fresh-signing-key-of-the-tests-0123456789-abcd';
    await dashboard.restart({ SESSION_SIGNING_KEY_PREVIOUS: fresh });
    assert.equal(await statusOf(session), 200);
    await dashboard.restart({ SESSION_SIGNING_KEY: fresh, SESSION_SIGNING_KEY_PREVIOUS: old });
    assert.equal(await statusOf(session), 200);
    await dashboard.restart({ SESSION_SIGNING_KEY: fresh });
    assert.equal(await statusOf(session), 401);
    await dashboard.restart();
  });

  it('is refused, and its cookie deleted, once EXTRA_ROLES no longer names its role', async () => {
    await dashboard.restart({ EXTRA_ROLES: 'support,auditor' });
    provider.identity = jsonResponse(operatorIdentity({ email: 'ada@example.com', role: 'support' }));
    const session = await signIn();
    assert.equal((await read(session, '/api/services')).status, 200);
    await dashboard.restart({ EXTRA_ROLES: 'auditor' });
    const refused = await read(session, '/api/services');
    assert.deepEqual([refused.status, isDeleted(refused)], [401, true]);
    await dashboard.restart();
  });

  it('that ended by a sign-out makes the next sign-ins ask for credentials until one succeeds', async () => {
    const jar = new CookieJar();
    await signIn(jar);
    const prompt = async (): Promise<string | null> => (await flow.begin(jar)).searchParams.get('prompt');
    assert.equal(await prompt(), null);
    await visit(`${dashboard.url}/api/auth/logout`, jar, { method: 'POST' });
    assert.equal(await prompt(), 'login');
    assert.equal(await prompt(), 'login');
    await signIn(jar);
    assert.equal(await prompt(), null);
  });

  it('ends for good within half a minute after its identity is deleted in the store', async () => {
    const session = await signIn();
    assert.equal(await statusOf(session), 200);
    provider.identity = jsonResponse({ error: { code: 404, status: 'Not Found' } }, 404);
    pass(31);
    const refused = await read(session);
    assert.equal(refused.status, 401);
    assert.equal(isDeleted(refused), true);
    provider.identity = jsonResponse(operatorIdentity());
    pass(31);
    assert.equal(await statusOf(session), 401);
    assert.equal(await statusOf(await signIn()), 200);
  });

  const OUTAGES: [outage: string, identity: FakeProvider['identity']][] = [
    ['refuses the key', jsonResponse({ error: { code: 401 } }, 401)],
    ['does not respond', () => {}],
  ];
  for (const [outage, identity] of OUTAGES)
    it(`continues while the identity store ${outage}`, async () => {
      const session = await signIn();
      provider.identity = identity;
      pass(31);
      assert.equal(await statusOf(session), 200);
      assert.equal(await statusOf(session), 200);
    });

  for (const [direction, hours] of [
    ['back', -1],
    ['forward', 1],
  ] as const)
    it(`ends within half a minute after its operator is deactivated, even if the wall clock is set ${direction} an hour`, async () => {
      // Longer than the hour that the clock is set forward.
      provider.token = jsonResponse({ access_token: 't', expires_in: 28_800 });
      const session = await signIn();
      assert.equal(await statusOf(session), 200);
      provider.identity = jsonResponse({ ...operatorIdentity(), state: 'inactive' });
      wrongBy = hours * HOUR_MS;
      pass(31);
      assert.equal(await statusOf(session), 401);
    });

  it('allows sixty decryptions and sixty unlocks a minute, regardless of other sessions and the wall clock', async () => {
    provider.token = jsonResponse({ access_token: 't', expires_in: 28_800 });
    const session = await signIn();
    const secret = { key: 'secret', value: 'v', encrypted: true };
    await dashboard.call('/api/settings', { session, json: secret });
    const decrypt = async (): Promise<number> => (await read(session, '/api/settings/secret?decrypt=true')).status;
    const unlock = async (): Promise<number> => {
      const json = { identifier: 'nobody@example.com' };
      return (await dashboard.call('/api/security/locked-accounts/unlock', { session, json })).status;
    };
    stoppedAt = performance.now();
    for (let count = 0; count < 60; count += 1) assert.deepEqual([await decrypt(), await unlock()], [200, 404]);
    assert.deepEqual([await decrypt(), await unlock()], [429, 429]);
    assert.equal((await read(await signIn(), '/api/settings/secret?decrypt=true')).status, 200);
    wrongBy = HOUR_MS;
    assert.deepEqual([await decrypt(), await unlock()], [429, 429]);
    wrongBy = -HOUR_MS;
    pass(61);
    assert.deepEqual([await decrypt(), await unlock()], [200, 404]);
  });

  it('may outlast its expiry after the wall clock is set back, which the service therefore logs', async () => {
    wrongBy = -HOUR_MS;
    const line = '"seconds":-3600,"msg":"the wall clock was set back"';
    const isLogged = (): boolean => dashboard.logged.some((text) => text.includes(line));
    await eventually(isLogged, true, undefined, 50_000);
  });
});

describe('the sessions of an operator', () => {
  const dashboard = ofTest(startDashboard);
  let admin: string;
  beforeEach(async () => {
    admin = await dashboard.signIn('admin');
  });

  const LAYOUT = '/api/dashboard/layout';
  const statusOf = async (session: string): Promise<number> => (await dashboard.call(LAYOUT, { session })).status;
  async function identityPath(session: string): Promise<string> {
    return `/api/identity-admin/admin/identities/${sessionIn(session).identityId}`;
  }

  it('continue when the operator tries to delete their own identity, which is refused with 409', async () => {
    assert.equal((await dashboard.call(await identityPath(admin), { session: admin, method: 'DELETE' })).status, 409);
    assert.equal(await statusOf(admin), 200);
  });

  it('all end with the next request after their identity is deleted through the dashboard', async () => {
    const viewers = [await dashboard.signIn('viewer'), await dashboard.signIn('viewer')];
    for (const viewer of viewers) assert.equal(await statusOf(viewer), 200);
    const path = await identityPath(viewers[0] ?? '');
    assert.equal((await dashboard.call(path, { session: admin, method: 'DELETE' })).status, 204);
    for (const viewer of viewers) assert.equal(await statusOf(viewer), 401);
    assert.equal(await statusOf(admin), 200);
  });

  it('end on deactivation, and a session from after the reactivation is accepted even by a replica that read “inactive”', async () => {
    const viewer = await dashboard.signIn('viewer');
    const path = await identityPath(viewer);
    const setState = (value: string): Promise<Response> =>
      dashboard.call(path, { session: admin, method: 'PATCH', json: [{ op: 'replace', path: '/state', value }] });
    const replica = await startReplica(dashboard);
    const statusAtReplica = async (session: string): Promise<number> =>
      (await replica.call(LAYOUT, { session })).status;
    try {
      assert.equal((await setState('inactive')).status, 200);
      assert.equal(await statusAtReplica(viewer), 401);
      assert.equal((await setState('active')).status, 200);
      assert.equal(await statusAtReplica(await dashboard.signIn('viewer')), 200);
      assert.equal(await statusAtReplica(viewer), 401);
    } finally {
      await replica.close();
    }
  });
});
