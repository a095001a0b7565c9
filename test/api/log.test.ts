import assert from 'node:assert/strict';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { until } from '../support/eventually.ts';
import { signInUpToCallback, visit } from '../support/http-sign-in.ts';

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

  it('a sign-in whose provider is away has its cause beside the request', async () => {
    await dashboard.restart({ AUTH_INTERNAL_URL: 'http://127.0.0.1:1' });
    const operator = dashboard.operator('admin');
    const { callback, jar } = await signInUpToCallback(dashboard.url, dashboard.baseUrl, operator);
    const { headers } = await visit(callback, jar, { headers: { accept: 'text/html' } });
    assert.equal(headers.get('location'), '/sign-in-failed?reason=provider_unreachable');
    const line = lines().find(({ id, msg }) => id === headers.get('x-request-id') && msg === 'sign-in failed');
    assert.match(JSON.stringify(line), /"code":"unreachable".*ECONNREFUSED/);
  });
});
