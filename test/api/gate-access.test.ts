import assert from 'node:assert/strict';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { eventually } from '../support/eventually.ts';
import { type GateApp, respondWith, startGateApp } from '../support/gate-app.ts';

const ADMIN_PREFIXES = ['identity-admin', 'iam-identity-admin', 'oauth-admin'];

describe('closed unless opened explicitly', () => {
  let app: GateApp | undefined;
  const start = async (env: NodeJS.ProcessEnv = {}): Promise<void> => {
    await app?.close();
    app = await startGateApp({ routes: [['/api/settings', 'settings.read', respondWith('settings')]] }, env);
  };
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  /** Status of the response. Not by `fetch`, which adds headers of its own. */
  const ask = (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(app?.url ?? '');
      request({ port, host: '127.0.0.1', path, method, headers }, (res) => {
        res.resume();
        resolve(res.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
  const session = (role: string): Record<string, string> => ({ cookie: `dashboard-session=${role}` });

  describe('a browser on an admin prefix', () => {
    const marks: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: 'http://localhost:3000' },
    ];
    for (const rule of ['outside', 'false', 'true'])
      it(`PROXY_REQUIRE_SESSION=${rule}: needs an admin session`, async () => {
        await start({ PROXY_REQUIRE_SESSION: rule });
        for (const mark of marks)
          for (const prefix of ADMIN_PREFIXES) {
            const path = `/api/${prefix}/admin/identities`;
            assert.equal(await ask(path, mark), 401);
            assert.equal(await ask(path, { ...mark, ...session('viewer') }, 'PATCH'), 403);
            assert.equal(await ask(path, { ...mark, ...session('admin') }, 'PATCH'), 200);
          }
      });

    it('of another site is refused after that, with and without a session', async () => {
      await start({ PROXY_REQUIRE_SESSION: 'false' });
      const foreign = { 'sec-fetch-site': 'cross-site' };
      assert.equal(await ask('/api/identity-admin/x', foreign), 401);
      assert.equal(await ask('/api/identity-admin/x', { ...foreign, ...session('admin') }), 403);
    });
  });

  describe('a proxy in front that nobody named', () => {
    const production = {
      NODE_ENV: 'production',
      BASE_URL: 'https://dashboard.example',
      PROXY_REQUIRE_SESSION: 'outside',
    };
    it('in production makes a caller of the admin prefixes one from outside, said once a minute', async () => {
      await start(production);
      const forwarded = { 'X-Forwarded-For': '10.0.0.1' };
      for (const prefix of ADMIN_PREFIXES) {
        assert.equal(await ask(`/api/${prefix}/x`, forwarded), 401);
        assert.equal(await ask(`/api/${prefix}/x`, { ...forwarded, ...session('admin') }), 200);
        assert.equal(await ask(`/api/${prefix}/x`), 200);
      }
      assert.equal(await ask('/api/identity/x', forwarded), 200);
      const said = app?.logged.filter((line) => line.includes('"header":"x-forwarded-for"')) ?? [];
      assert.equal(said.length, 1);
      assert.ok(!said[0]?.includes('10.0.0.1'));
    });
  });

  describe('the line of a 401 on an admin prefix', () => {
    const CASES: [env: NodeJS.ProcessEnv, headers: Record<string, string>, decidedBy: string, reason: RegExp][] = [
      [{ TRUST_PROXY: '1' }, { 'X-Forwarded-For': 'unknown' }, 'TRUST_PROXY', /names the caller in X-Forwarded-For/],
      [{ TRUST_PROXY: '1' }, { 'X-Forwarded-For': '203.0.113.9' }, 'PROXY_REQUIRE_SESSION', /^outside/],
      [{ PROXY_REQUIRE_SESSION: 'false' }, { Origin: 'http://localhost' }, 'browser', /Origin/],
    ];
    for (const [env, headers, decidedBy, reason] of CASES)
      it(`says what decided: ${JSON.stringify(env)} ${JSON.stringify(headers)}`, async () => {
        await start(env);
        assert.equal(await ask('/api/identity-admin/x', headers), 401);
        await eventually(() => lines().length, 1);
        assert.equal(lines()[0].decidedBy, decidedBy);
        assert.match(lines()[0].reason, reason);
        assert.doesNotMatch(JSON.stringify(lines()), /10\.1\.2|203\.0|unknown|localhost/);
      });
    const lines = () => (app?.logged ?? []).map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  });

  describe('a page of another site', () => {
    const marks: OutgoingHttpHeaders[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      // Sent as two lines.
      { 'sec-fetch-site': ['same-origin', 'same-origin'] },
      { origin: 'http://evil.test' },
    ];
    for (const mark of marks)
      it(`${JSON.stringify(mark)} writes nothing through an operator's browser`, async () => {
        await start();
        const headers = { ...mark, ...session('admin') };
        for (const method of ['POST', 'DELETE']) {
          assert.equal(await ask('/api/settings', headers, method), 403);
          assert.equal(await ask('/api/auth/logout', headers, method), 403);
        }
        assert.equal(await ask('/api/settings', headers), 200);
        assert.equal(await ask('/api/settings', session('admin'), 'POST'), 200);
      });
  });
});
