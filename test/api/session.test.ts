import assert from 'node:assert/strict';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { activeOperator, type FakeProvider, json, startFakeProvider } from '../support/fake-provider.ts';
import { CookieJar, visit } from '../support/http-sign-in.ts';

const isDeleted = (response: Response): boolean =>
  response.headers.getSetCookie().some((line) => /^dashboard-session=;.*Expires=Thu, 01 Jan 1970/.test(line));

describe('session', () => {
  let provider: FakeProvider;
  let dashboard: Dashboard;
  /** An adjustable wall clock, and the time that has really passed. */
  let clockOffset = 0;
  let elapsed = 0;

  before(async () => {
    provider = await startFakeProvider();
    dashboard = await startDashboard({
      now: () => Date.now() + clockOffset,
      monotonic: () => performance.now() + elapsed,
      env: {
        AUTH_URL: provider.url,
        AUTH_INTERNAL_URL: provider.url,
        AUTH_IDENTITY_ADMIN_URL: provider.url,
        OPERATOR_SCHEMA_IDS: '',
      },
    });
  });
  after(async () => {
    await dashboard.close();
    await provider.close();
  });
  afterEach(() => {
    provider.identity = json(activeOperator());
  });

  async function signIn(jar = new CookieJar()): Promise<string> {
    const login = await visit(`${dashboard.url}/api/auth/login`, jar);
    const state = new URL(login.headers.get('location') ?? '').searchParams.get('state') ?? '';
    await visit(`${dashboard.url}/api/auth/callback?code=c&state=${state}`, jar);
    return jar.get('dashboard-session') ?? '';
  }
  const status = async (session: string): Promise<number> => (await dashboard.call('/api/config', { session })).status;
  /** Lets the operator check's cache expire. */
  const later = (seconds: number): void => {
    clockOffset += seconds * 1000;
    elapsed += seconds * 1000;
  };

  it('is told to its owner, and refused with the older body to anyone else', async () => {
    const session = await signIn();
    const told = await dashboard.call('/api/auth/session', { session });
    assert.deepEqual(Object.keys((await told.json()).user), ['identityId', 'email', 'role']);
    const { expiresAt } = JSON.parse(Buffer.from(session.split('.')[0] ?? '', 'base64url').toString());
    assert.equal(told.headers.get('x-session-expires'), new Date(expiresAt * 1000).toISOString());
    const none = await dashboard.call('/api/auth/session');
    assert.equal(none.status, 401);
    assert.equal(none.headers.get('content-type'), 'application/json');
    assert.equal(none.headers.has('x-session-expires'), false);
    assert.equal(await none.text(), '{"error":"Not authenticated"}');
    assert.equal(isDeleted(none), false);
  });

  it('with a changed byte is 401 with the texts of the contract, and its cookie is deleted', async () => {
    const session = await signIn();
    const refused = await dashboard.call('/api/settings', { session: `${session.slice(0, -2)}AA` });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('content-type'), 'application/json');
    assert.deepEqual(await refused.json(), {
      error: 'not_authenticated',
      message: 'Authentication required.',
      hint: 'Authenticate via /api/auth/login',
    });
    assert.equal(isDeleted(refused), true);
    assert.equal(isDeleted(await dashboard.call('/api/auth/session', { session: 'x.y' })), true);
  });

  it('ends by the server’s clock, whatever the browser keeps', async () => {
    const session = await signIn();
    later(3500);
    assert.equal(await status(session), 200);
    later(101);
    const refused = await dashboard.call('/api/config', { session });
    assert.equal(refused.status, 401);
    assert.equal(isDeleted(refused), true);
  });

  it('with two different cookies in one request is none, and neither is deleted', async () => {
    const [first, second] = [await signIn(), await signIn()];
    const both = await dashboard.call('/api/config', {
      headers: { cookie: `dashboard-session=${first}; dashboard-session=${second}` },
    });
    assert.equal(both.status, 401);
    assert.equal(isDeleted(both), false);
    const twice = await dashboard.call('/api/config', {
      headers: { cookie: `dashboard-session=${first};dashboard-session=${first}` },
    });
    assert.equal(twice.status, 200);
  });

  it('ends on the server at sign-out, for good; that of another sign-in goes on, after a restart too', async () => {
    const [kept, session] = [await signIn(), await signIn()];
    const done = await dashboard.call('/api/auth/logout', { session, method: 'POST' });
    assert.equal(done.status, 204);
    assert.equal(isDeleted(done), true);
    assert.deepEqual([await status(session), await status(kept)], [401, 200]);
    await dashboard.restart();
    assert.deepEqual([await status(session), await status(kept)], [401, 200]);
  });

  it('survives the rotation of the signing key in two steps, and not a third', async () => {
    const session = await signIn();
    const old = dashboard.env.SESSION_SIGNING_KEY ?? '';
    const fresh = 'fresh-signing-key-of-the-tests-0123456789-abcd';
    await dashboard.restart({ SESSION_SIGNING_KEY_PREVIOUS: fresh });
    assert.equal(await status(session), 200);
    await dashboard.restart({ SESSION_SIGNING_KEY: fresh, SESSION_SIGNING_KEY_PREVIOUS: old });
    assert.equal(await status(session), 200);
    await dashboard.restart({ SESSION_SIGNING_KEY: fresh });
    assert.equal(await status(session), 401);
    await dashboard.restart();
  });

  it('after a sign-out asks for credentials until a sign-in succeeds', async () => {
    const jar = new CookieJar();
    await signIn(jar);
    const promptOf = async (): Promise<string | null> => {
      const login = await visit(`${dashboard.url}/api/auth/login`, jar);
      return new URL(login.headers.get('location') ?? '').searchParams.get('prompt');
    };
    assert.equal(await promptOf(), null);
    await visit(`${dashboard.url}/api/auth/logout`, jar, { method: 'POST' });
    assert.equal(await promptOf(), 'login');
    assert.equal(await promptOf(), 'login');
    await signIn(jar);
    assert.equal(await promptOf(), null);
  });

  describe('of an identity that the store', () => {
    it('has deleted ends within half a minute, for good', async () => {
      const session = await signIn();
      assert.equal(await status(session), 200);
      provider.identity = json({ error: { code: 404, status: 'Not Found' } }, 404);
      later(31);
      const refused = await dashboard.call('/api/config', { session });
      assert.equal(refused.status, 401);
      assert.equal(isDeleted(refused), true);
      provider.identity = json(activeOperator());
      later(31);
      assert.equal(await status(session), 401);
      assert.equal(await status(await signIn()), 200);
    });

    const outages: [string, FakeProvider['identity']][] = [
      ['refuses the key', json({ error: { code: 401 } }, 401)],
      ['keeps silent', () => {}],
    ];
    for (const [title, identity] of outages)
      it(`${title} goes on: an outage locks nobody out`, async () => {
        const session = await signIn();
        provider.identity = identity;
        later(31);
        assert.equal(await status(session), 200);
        assert.equal(await status(session), 200);
      });
  });
});
