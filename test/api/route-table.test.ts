import assert from 'node:assert/strict';
import { ROUTES } from '../../docs/openapi/routes.ts';
import { CAPABILITIES, type Capability, ROLES, type Role } from '../../shared/capabilities.ts';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { indexReady, SYNC_TIMEOUT_MS } from '../support/index-ready.ts';
import { may } from '../support/roles.ts';

/** `session`: whatever the role. */
type Row = readonly [
  method: string,
  path: string,
  who: Capability | 'anyone' | 'session',
  status: number,
  none?: number,
];

/** What each route answers who may ask, and what is no route. */
const ANSWERS: readonly Row[] = [
  ...ROUTES.flatMap(({ method, who, examples = [] }) =>
    examples.map(([target, status, none]): Row => [method.toUpperCase(), target, who, status, none]),
  ),
  ['GET', '/api/auth/unknown', 'anyone', 404],
  ['PATCH', '/api/settings', 'settings.write', 405],
  ['GET', '/api/encrypt', 'settings.write', 405],
  ['POST', '/api/config', 'configuration.read', 405],
  ['POST', '/api/security/audit', 'audit.read', 405],
  ['GET', '/api/security/audit/unknown', 'paths.any', 404],
  ['GET', '/api/security/locked-accounts/unlock', 'locks.read', 405],
  ['GET', '/api/security/revocations', 'operators.write', 405],
  ['GET', '/api/security/unknown', 'paths.any', 404],
  ['PUT', '/api/identities/absent/credentials', 'identities.read', 405],
  ['GET', '/api/dashboard/unknown', 'session', 404],
  ['POST', '/api/session-locations', 'session-locations.read', 405],
  ['DELETE', '/api/services/database', 'services.read', 405],
  ['GET', '/api/unknown', 'session', 404],
  ['GET', '/api/healthcheck', 'session', 404],
  ['GET', '/api/authx', 'session', 404],
  ['GET', '/api', 'session', 404],
  ['TRACE', '/api/config', 'configuration.read', 405],
  ['TRACE', '/api/unknown', 'session', 405],
  ['GET', '/api/settings%2fabsent', 'paths.any', 404],
  ['GET', '/api/health%2fx', 'paths.any', 404],
  ['GET', '/api/identity-admin/health/alive', 'upstreams.read', 200],
  ['POST', '/api/identity-admin/health/alive', 'upstreams.write', 404],
];

/** A browser needs a session on an admin prefix; everywhere else this changes nothing. */
const BROWSER = { 'sec-fetch-site': 'same-origin' };

describe('route table', () => {
  let dashboard: Dashboard;
  const sessions = {} as Record<Role, string>;

  before(async function () {
    this.timeout(SYNC_TIMEOUT_MS + 30_000);
    dashboard = await startDashboard();
    for (const role of ROLES) sessions[role] = await dashboard.signIn(role);
    await indexReady(dashboard, sessions.admin);
  });
  after(() => dashboard.close());

  /** `fetch` refuses TRACE. */
  async function statusOf(method: string, path: string, session?: string): Promise<number> {
    const { request } = await import('node:http');
    return new Promise((resolve, reject) => {
      const headers = { ...BROWSER, ...(session === undefined ? {} : { cookie: `dashboard-session=${session}` }) };
      const req = request(`${dashboard.url}${path}`, { method, headers }, (res) => {
        res.resume();
        resolve(res.statusCode ?? 0);
      });
      req.once('error', reject);
      req.end();
    });
  }

  for (const [method, path, who, status, none = who === 'anyone' ? status : 401] of ANSWERS)
    it(`${method} ${path} is ${none} without a session, ${status} for ${who}, else 403`, async () => {
      assert.equal(await statusOf(method, path), none);
      for (const role of ROLES) {
        const isServed = who === 'anyone' || who === 'session' || may(role, who);
        assert.equal(await statusOf(method, path, sessions[role]), isServed ? status : 403, role);
      }
    });

  it('asks for every capability there is', () => {
    const named = new Set<string>(ANSWERS.map(([, , who]) => who));
    assert.deepEqual(
      CAPABILITIES.filter((capability) => !named.has(capability)),
      [],
    );
  });

  for (const name of UPSTREAM_NAMES)
    it(`/api/${name} is left to the upstream, without a session too`, async () => {
      const response = await dashboard.call(`/api/${name}/health/alive`);
      assert.notEqual(response.status, 401);
      assert.equal(response.headers.get('cache-control'), 'no-store');
    });

  it('refuses before it looks at a body: malformed, too large or of the wrong type', async () => {
    for (const headers of [{ 'content-type': 'application/json' }, { 'content-type': 'text/plain' }])
      for (const body of ['{', 'x'.repeat(600_000)]) {
        assert.equal((await dashboard.call('/api/settings', { body, headers })).status, 401);
        assert.equal((await dashboard.call('/api/settings', { body, headers, session: sessions.viewer })).status, 403);
      }
  });
});
