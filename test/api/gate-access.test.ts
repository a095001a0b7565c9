import assert from 'node:assert/strict';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { eventually } from '../support/eventually.ts';
import { type GateApp, respondWithName, startGateApp } from '../support/gate-app.ts';

const ADMIN_PREFIXES = ['identity-admin', 'iam-identity-admin', 'oauth-admin'];

describe('the gate', () => {
  let app: GateApp | undefined;
  const start = async (env: NodeJS.ProcessEnv = {}): Promise<void> => {
    await app?.close();
    app = await startGateApp({ routes: [['/api/settings', 'settings.read', respondWithName('settings')]] }, env);
  };
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  /** Does not use `fetch`, which adds headers of its own. */
  const statusOf = (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<number> =>
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

  it('treats callers behind a proxy that TRUST_PROXY does not name as outside, and logs a single warning', async () => {
    const BASE_URL = 'https://dashboard.example';
    await start({ NODE_ENV: 'production', BASE_URL, PROXY_REQUIRE_SESSION: 'outside' });
    const forwarded = { 'X-Forwarded-For': '10.0.0.1' };
    for (const prefix of ADMIN_PREFIXES) {
      assert.equal(await statusOf(`/api/${prefix}/x`, forwarded), 401);
      assert.equal(await statusOf(`/api/${prefix}/x`, { ...forwarded, ...session('admin') }), 200);
      assert.equal(await statusOf(`/api/${prefix}/x`), 200);
    }
    assert.equal(await statusOf('/api/identity/x', forwarded), 200);
    const warnings = app?.logged.filter((line) => line.includes('"header":"x-forwarded-for"')) ?? [];
    assert.equal(warnings.length, 1);
    assert.ok(!warnings[0]?.includes('10.0.0.1'));
  });

  const DECISIONS: [env: NodeJS.ProcessEnv, headers: Record<string, string>, decidedBy: string, reason: RegExp][] = [
    [{ TRUST_PROXY: '1' }, { 'X-Forwarded-For': 'unknown' }, 'TRUST_PROXY', /names the caller in X-Forwarded-For/],
    [{ TRUST_PROXY: '1' }, { 'X-Forwarded-For': '203.0.113.9' }, 'PROXY_REQUIRE_SESSION', /^outside/],
    [{ PROXY_REQUIRE_SESSION: 'false' }, { Origin: 'http://localhost' }, 'browser', /Origin/],
  ];
  for (const [env, headers, decidedBy, reason] of DECISIONS)
    it(`logs "decidedBy":"${decidedBy}" for a 401 on an admin prefix, and no value from the request`, async () => {
      await start(env);
      assert.equal(await statusOf('/api/identity-admin/x', headers), 401);
      const lines = () => (app?.logged ?? []).map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
      await eventually(() => lines().length, 1);
      assert.equal(lines()[0].decidedBy, decidedBy);
      assert.match(lines()[0].reason, reason);
      assert.doesNotMatch(JSON.stringify(lines()), /10\.1\.2|203\.0|unknown|localhost/);
    });

  it('refuses writes from another origin despite an operator’s session', async () => {
    await start();
    // The second header is sent as two lines.
    for (const site of ['cross-site', ['same-origin', 'same-origin']]) {
      const headers = { 'sec-fetch-site': site, ...session('admin') };
      for (const method of ['POST', 'DELETE'])
        for (const path of ['/api/settings', '/api/auth/logout'])
          assert.equal(await statusOf(path, headers, method), 403, `${method} ${path} ${site}`);
      assert.equal(await statusOf('/api/settings', headers), 200);
    }
    assert.equal(await statusOf('/api/settings', session('admin'), 'POST'), 200);
  });
});
