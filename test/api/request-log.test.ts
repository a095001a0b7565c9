import assert from 'node:assert/strict';
import { healthHandler } from '../../server/features/health/health-handler.ts';
import { until } from '../support/becomes.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { answering, startGateApp } from '../support/gate-app.ts';
import { CookieJar, signInUpToCallback, visit } from '../support/http-sign-in.ts';

describe('what the log says of requests that fail', () => {
  let dashboard: Dashboard;
  let admin: string;

  before(async () => {
    dashboard = await startDashboard();
    admin = await dashboard.signIn('admin');
  });
  after(() => dashboard.close());

  type Line = Record<string, unknown>;
  const lines = (): Line[] => dashboard.logged.map((line) => JSON.parse(line) as Line);
  async function lineOf(response: Response): Promise<Line> {
    const id = response.headers.get('x-request-id');
    const found = (): Line | undefined => lines().find((line) => line['id'] === id && line['msg'] === 'request');
    await until(() => found() !== undefined);
    return found() ?? {};
  }

  it('names the route and nothing that a caller wrote', async () => {
    for (const [method, path, signedIn, status, route] of [
      ['GET', '/api/settings/none', true, 404, '/api/settings/:key'],
      ['GET', '/api/settings/my-secret-name', false, 401, '/api/settings/*'],
      ['GET', '/api/identities?page_size=x', true, 400, '/api/identities'],
      ['POST', '/api/auth/session', false, 405, '/api/auth/session'],
      ['GET', '/api/my-secret-name', false, 401, '/api/*'],
      ['GET', '/api/my-secret-name/x', true, 404, '/api/*/*'],
      ['GET', '/api/identity-admin/admin/identities/a@b', true, 404, '/api/identity-admin/admin/identities/*'],
    ] as const) {
      const response = await dashboard.call(path, { method, ...(signedIn ? { session: admin } : {}) });
      assert.equal(response.status, status, path);
      assert.equal((await lineOf(response))['route'], route);
    }
    assert.doesNotMatch(dashboard.logged.join(''), /my-secret-name|a@b/);
  });

  const html = { accept: 'text/html' };
  async function failSignIn(
    callbackOf: (address: string) => string,
  ): Promise<{ id: string | null; location: string | null }> {
    const { callback, jar } = await signInUpToCallback(
      dashboard.url,
      dashboard.baseUrl,
      dashboard.operator('admin'),
      new CookieJar(),
    );
    const response = await visit(callbackOf(callback), jar, { headers: html });
    return { id: response.headers.get('x-request-id'), location: response.headers.get('location') };
  }

  it('a sign-in whose provider is away has its cause beside the request', async () => {
    await dashboard.restart({ AUTH_INTERNAL_URL: 'http://127.0.0.1:1' });
    const { id, location } = await failSignIn((address) => address);
    assert.equal(location, '/sign-in-failed?reason=provider_unreachable');
    const line = lines().find((candidate) => candidate['id'] === id && candidate['msg'] === 'sign-in failed');
    assert.match(JSON.stringify(line), /"code":"unreachable".*ECONNREFUSED/);
    await dashboard.restart();
  });

  it('a sign-in that the provider ends with an error is recorded as refused', async () => {
    const before = lines().length;
    const { location } = await failSignIn((address) => {
      const url = new URL(address);
      url.searchParams.delete('code');
      url.searchParams.set('error', 'access_denied');
      return url.href;
    });
    assert.equal(location, '/sign-in-failed?reason=denied');
    const audited = lines()
      .slice(before)
      .filter(({ msg }) => msg === 'audit');
    assert.deepEqual(
      audited.map(({ audit }) => audit as Line).map(({ action, actor, details }) => [action, actor, details]),
      [['login_refused', 'anonymous', { reason: 'denied' }]],
    );
  });

  for (const draining of [true, false])
    it(`probes ${draining ? 'during a graceful shutdown raise no' : 'with the database away raise an'} alarm`, async () => {
      const ping = (): Promise<void> => (draining ? Promise.resolve() : Promise.reject(new Error('away')));
      const app = await startGateApp({
        publicRoutes: {
          health: healthHandler({ version: '1', ping, isDraining: () => draining, now: () => performance.now() }),
          auth: answering('auth'),
          socialConnections: answering('social'),
        },
      });
      assert.equal((await app.call('/api/health')).status, 503);
      await app.close();
      const alarms = app.logged.map((line) => JSON.parse(line) as Line).filter(({ level }) => Number(level) >= 40);
      assert.equal(alarms.length > 0, !draining);
    });
});
