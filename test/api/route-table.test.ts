import assert from 'node:assert/strict';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { ROUTES } from '../routes/routes.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

type Row = [method: string, path: string, none: number, viewer: number, admin: number];

/** What each route answers without a session, to a viewer and to an administrator, and paths that are not routes. */
const ANSWERS: Row[] = [
  ...ROUTES.flatMap(({ method, asked = [] }) => asked.map((row): Row => [method.toUpperCase(), ...row])),
  ['GET', '/api/auth/unknown', 404, 404, 404],
  ['PATCH', '/api/settings', 401, 403, 405],
  ['GET', '/api/encrypt', 401, 403, 405],
  ['POST', '/api/config', 401, 403, 405],
  ['POST', '/api/security/audit', 401, 403, 405],
  ['GET', '/api/security/audit/unknown', 401, 403, 404],
  ['GET', '/api/security/locked-accounts/unlock', 401, 403, 405],
  ['GET', '/api/security/revocations', 401, 403, 405],
  ['GET', '/api/security/unknown', 401, 403, 404],
  ['PUT', '/api/identities/absent/credentials', 401, 403, 405],
  ['GET', '/api/dashboard/unknown', 401, 404, 404],
  ['POST', '/api/session-locations', 401, 405, 405],
  ['DELETE', '/api/services/database', 401, 405, 405],
  ['GET', '/api/unknown', 401, 404, 404],
  ['GET', '/api/healthcheck', 401, 404, 404],
  ['GET', '/api/authx', 401, 404, 404],
  ['GET', '/api', 401, 404, 404],
  ['TRACE', '/api/config', 401, 403, 405],
  ['TRACE', '/api/unknown', 401, 405, 405],
  ['GET', '/api/settings%2fabsent', 401, 403, 404],
  ['GET', '/api/health%2fx', 401, 403, 404],
];

describe('route table', () => {
  let dashboard: Dashboard;
  let sessions: { viewer: string; admin: string };

  before(async () => {
    dashboard = await startDashboard();
    sessions = { viewer: await dashboard.signIn('viewer'), admin: await dashboard.signIn('admin') };
  });
  after(() => dashboard.close());

  /** `fetch` refuses TRACE. */
  async function statusOf(method: string, path: string, session?: string): Promise<number> {
    const { request } = await import('node:http');
    return new Promise((resolve, reject) => {
      const headers = session === undefined ? {} : { cookie: `dashboard-session=${session}` };
      const req = request(`${dashboard.url}${path}`, { method, headers }, (res) => {
        res.resume();
        resolve(res.statusCode ?? 0);
      });
      req.once('error', reject);
      req.end();
    });
  }

  for (const [method, path, none, viewer, admin] of ANSWERS)
    it(`${method} ${path} is ${none} without a session, ${viewer} for a viewer, ${admin} for an admin`, async () => {
      assert.deepEqual(
        [
          await statusOf(method, path),
          await statusOf(method, path, sessions.viewer),
          await statusOf(method, path, sessions.admin),
        ],
        [none, viewer, admin],
      );
    });

  for (const name of UPSTREAM_NAMES)
    it(`/api/${name} is left to the upstream, without a session too`, async () => {
      const answer = await dashboard.call(`/api/${name}/health/alive`);
      assert.notEqual(answer.status, 401);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
    });

  it('gives 403 with the texts of the contract, without naming roles in the hint', async () => {
    const refused = await dashboard.call('/api/settings', { session: sessions.viewer });
    assert.deepEqual(await refused.json(), {
      error: 'forbidden',
      message: 'Admin access required.',
      hint: 'Contact your administrator to request access.',
    });
  });

  it('refuses before it looks at a body: malformed, too large or of the wrong type', async () => {
    for (const headers of [{ 'content-type': 'application/json' }, { 'content-type': 'text/plain' }])
      for (const body of ['{', 'x'.repeat(600_000)]) {
        assert.equal((await dashboard.call('/api/settings', { body, headers })).status, 401);
        assert.equal((await dashboard.call('/api/settings', { body, headers, session: sessions.viewer })).status, 403);
      }
  });

  it('takes no identity and no role from a header', async () => {
    const headers = {
      'x-user-role': 'admin',
      'x-user-id': '1',
      authorization: 'Bearer x',
      'x-original-url': '/api/health',
    };
    assert.equal((await dashboard.call('/api/settings', { headers })).status, 401);
    assert.equal((await dashboard.call('/api/settings', { headers, session: sessions.viewer })).status, 403);
  });

  it('carries an id of its own on every answer, whatever the caller sends', async () => {
    for (const path of ['/api/health', '/api/settings', '/api/unknown']) {
      const answer = await dashboard.call(path, { headers: { 'x-request-id': 'mine' } });
      assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    }
  });
});
