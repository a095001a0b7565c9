import assert from 'node:assert/strict';
import type { Express, Request, RequestHandler } from 'express';
import type { RouteEntry } from '../../docs/openapi/route.ts';
import { ROUTES, routeOf } from '../../docs/openapi/routes.ts';
import { SIGN_INS_ROUTES } from '../../docs/openapi/sign-ins-routes.ts';
import { type AppDeps, createApp } from '../../server/app.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { createDeps } from '../../server/deps.ts';
import type { Needs } from '../../server/gate/require-session.ts';
import { CAPABILITIES, type Capability, can, ROLES, type Role } from '../../shared/capabilities.ts';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { HYDRA_ROUTES, ID, KRATOS_ROUTES } from '../support/admin-routes.ts';
import { silentLog } from '../support/context.ts';
import { indexReady, startDashboard } from '../support/dashboard.ts';
import { documentedResponses } from '../support/documented-responses.ts';
import { ofSuite } from '../support/of-suite.ts';
import { requestHead, sendRaw } from '../support/raw-client.ts';

/** What each role may do, written out here and nowhere else in the tests. */
const VIEWER = ['layout.own', 'views.own', 'session-locations.read', 'geo.read', 'services.read', 'statistics.read'];
const GRANTED: Record<Role, readonly string[]> = {
  admin: CAPABILITIES,
  support: [
    ...VIEWER,
    ...[
      'identities.read',
      'identities.state',
      'identities.recover',
      'second-factors.remove',
      'notes.read',
      'notes.write',
    ],
    ...['sessions.read', 'sessions.end', 'messages.read', 'consents.read', 'consents.revoke'],
    ...['timeline.read', 'locks.read', 'locks.write', 'sign-ins.read', 'operators.names'],
  ],
  auditor: [
    ...VIEWER,
    ...['identities.read', 'sessions.read', 'messages.read', 'notes.read', 'clients.read', 'consents.read'],
    ...['configuration.read', 'posture.read', 'timeline.read', 'audit.read', 'locks.read', 'sign-ins.read'],
    ...['operators.names', 'operators.read'],
  ],
  viewer: VIEWER,
};

describe('the role', () => {
  for (const role of ROLES)
    it(`${role} has exactly the capabilities that this test lists for it`, () => {
      const granted = CAPABILITIES.filter((capability) => can(role, capability));
      assert.deepEqual(new Set(granted), new Set(GRANTED[role]));
    });
});

/**
 * `role` stands for any role. `none` is the status without a session: by default 401, or for `anyone` the same as
 * `status`.
 */
type Row = readonly [
  method: string,
  path: string,
  needs: Capability | 'anyone' | 'role',
  status: number,
  none?: number,
];

const ROWS: readonly Row[] = [
  ...ROUTES.flatMap(({ method, who, examples = [] }) =>
    examples.map(([path, status, none]): Row => [method.toUpperCase(), path, who, status, none]),
  ),
  // Requests that no route of the table handles.
  ['GET', '/api/auth/unknown', 'anyone', 404],
  ['PATCH', '/api/settings', 'settings.write', 405],
  ['GET', '/api/encrypt', 'settings.write', 405],
  ['GET', '/api/settings/absent?decrypt=true', 'settings.decrypt', 404],
  ['POST', '/api/config', 'configuration.read', 405],
  ['POST', '/api/security/audit', 'audit.read', 405],
  ['GET', '/api/security/audit/unknown', 'paths.any', 404],
  ...[`identity:${ID}`, `identity:${ID.toUpperCase()}&page_size=1&action=proxy_write`].map(
    (subject): Row => ['GET', `/api/security/audit?subject=${subject}`, 'timeline.read', 200],
  ),
  ...['', 'identity:', `identity:{${ID}}`, `session:${ID}`, `client:${ID}`, `Identity:${ID}`].map(
    (subject): Row => ['GET', `/api/security/audit?subject=${subject}`, 'audit.read', 200],
  ),
  ['GET', `/api/security/audit?subject=identity:${ID}&subject=identity:${ID}`, 'audit.read', 400],
  ['GET', `/api/security/audit?subject[]=identity:${ID}`, 'audit.read', 200],
  ['GET', `/api/security/audit?actor=${ID}`, 'audit.read', 200],
  ['GET', `/api/security/audit/chain?subject=identity:${ID}`, 'audit.read', 200],
  ['GET', '/api/security/operators/names?identifier=nobody%40example.org', 'audit.read', 200],
  ['GET', `/api/security/operators/names?id=${ID}&identifier=x`, 'audit.read', 400],
  ['GET', '/api/security/locked-accounts/unlock', 'locks.read', 405],
  ['HEAD', '/api/security/locked-accounts', 'locks.read', 200],
  ['OPTIONS', '/api/security/locked-accounts', 'locks.read', 405],
  ['PROPFIND', '/api/security/locked-accounts', 'locks.write', 405],
  ['GET', '/api/security/revocations', 'operators.write', 405],
  ['GET', '/api/security/unknown', 'paths.any', 404],
  ['DELETE', '/api/security/sign-ins', 'sign-ins.read', 405],
  ['POST', '/api/oauth-clients/usage', 'clients.read', 405],
  ['PUT', '/api/identities/absent/credentials', 'identities.recover', 405],
  ['GET', '/api/dashboard/unknown', 'role', 404],
  ['POST', '/api/session-locations', 'session-locations.read', 405],
  ['DELETE', '/api/services/database', 'services.read', 405],
  ['GET', '/api/unknown', 'role', 404],
  ['GET', '/api/healthcheck', 'role', 404],
  ['GET', '/api/authx', 'role', 404],
  ['GET', '/api', 'role', 404],
  ['TRACE', '/api/config', 'configuration.read', 405],
  ['TRACE', '/api/unknown', 'role', 405],
  ['GET', '/api/settings%2fabsent', 'paths.any', 404],
  ['GET', '/api/health%2fx', 'paths.any', 404],
];

const outcomes = (needs: Row[2], status: number, none: number): string => {
  if (needs === 'anyone') return none === status ? `${status}` : `${status}, and ${none} without a session`;
  if (needs === 'role') return `${status} for any role, and ${none} without a session`;
  return `${status} for roles with ${needs}, 403 for other roles, and ${none} without a session`;
};

describe('the service without EXTRA_ROLES', () => {
  const dashboard = ofSuite(() => startDashboard());

  for (const name of UPSTREAM_NAMES)
    it(`requires no session below /api/${name} from a caller other than a browser, and forbids caching of the response`, async () => {
      const response = await dashboard.call(`/api/${name}/health/alive`);
      assert.notEqual(response.status, 401);
      assert.equal(response.headers.get('cache-control'), 'no-store');
    });
});

/** A browser needs a session on an admin prefix; elsewhere this header changes nothing. */
const BROWSER = { 'sec-fetch-site': 'same-origin' };

describe('the service', () => {
  const responses = documentedResponses();
  const dashboard = ofSuite(() => startDashboard({ env: { EVENTS_PORT: '0', EXTRA_ROLES: 'support,auditor' } }));
  const sessions = {} as Record<Role, string>;

  before(async () => {
    for (const role of ROLES) sessions[role] = await dashboard.signIn(role);
    await indexReady(dashboard, sessions.admin);
  });

  /** The status of the response. If the table contains the route, the response is checked against it. */
  async function statusOf(method: string, path: string, session?: string): Promise<number> {
    // `fetch` refuses TRACE.
    if (method === 'TRACE') {
      const headers = session === undefined ? [] : [`Cookie: dashboard-session=${session}`];
      return (await sendRaw(dashboard.port, requestHead(`TRACE ${path}`, headers))).status;
    }
    const response = await dashboard.call(path, { method, session, headers: BROWSER });
    if (routeOf(method, path) !== undefined) await responses.check(method, path, response);
    return response.status;
  }

  for (const [method, path, needs, status, none = needs === 'anyone' ? status : 401] of ROWS)
    it(`responds to ${method} ${path} with ${outcomes(needs, status, none)}`, async () => {
      assert.equal(await statusOf(method, path), none);
      for (const role of ROLES) {
        const isServed = needs === 'anyone' || needs === 'role' || can(role, needs);
        assert.equal(await statusOf(method, path, sessions[role]), isServed ? status : 403, role);
      }
    });

  it('has a route for every capability', () => {
    const proxied = [...KRATOS_ROUTES, ...HYDRA_ROUTES].map(({ needs }) => needs);
    const needed = new Set<string>([...ROWS.map(([, , needs]) => needs), ...proxied]);
    const unused = CAPABILITIES.filter((capability) => !needed.has(capability));
    assert.deepEqual(unused, []);
  });

  for (const events of ['0', ''])
    it(`mounts exactly the routes of the table in docs/openapi, with EVENTS_PORT=${events}`, async () => {
      const config = parseConfig({ ...dashboard.env, EVENTS_PORT: events });
      const deps = await createDeps(config, silentLog);
      await deps.close();
      const served = ROUTES.filter((route) => events !== '' || !SIGN_INS_ROUTES.includes(route));
      const textOf = ({ method, path, who }: MountedRoute): string => `${method} ${path} ${who}`;
      const mounted = mountedRoutes(createApp(config, deps.app), deps.app);
      assert.deepEqual(mounted.map(textOf).sort(), served.map(textOf).sort());
    });

  it('refuses a caller without the capability before it reads a body that is malformed, too large or of another type', async () => {
    for (const headers of [{ 'content-type': 'application/json' }, { 'content-type': 'text/plain' }])
      for (const body of ['{', 'x'.repeat(600_000)]) {
        assert.equal((await dashboard.call('/api/settings', { body, headers })).status, 401);
        assert.equal((await dashboard.call('/api/settings', { body, headers, session: sessions.viewer })).status, 403);
      }
  });
});

type MountedRoute = Pick<RouteEntry, 'who' | 'path'> & { method: string };

/** What this file reads of an Express router. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

/** Every method and path that the service's routers handle other than with 405, and the capability it needs. */
function mountedRoutes(
  app: Express,
  { publicRoutes, routes }: Pick<AppDeps, 'publicRoutes' | 'routes'>,
): MountedRoute[] {
  return [
    ...routesOf('', 'anyone', app.router),
    ...routesOf('/api/auth', 'anyone', publicRoutes.auth),
    ...routes.flatMap(([mount, needs, router]) => routesOf(mount, needs, router)),
  ];
}

function neededFor(method: string, needs: Needs | 'anyone'): MountedRoute['who'] {
  if (typeof needs === 'string') return needs;
  if (typeof needs === 'function') return needs({ path: '/', query: {} } as Request);
  return method === 'get' ? needs.read : needs.write;
}

function routesOf(mount: string, needs: Needs | 'anyone', router: RequestHandler): MountedRoute[] {
  const { stack = [] } = router as { stack?: Layer[] };
  return stack.flatMap(({ route }) =>
    [route?.path ?? []].flat().flatMap((path) =>
      Object.keys(route?.methods ?? {})
        .filter((method) => method !== '_all' && method !== 'head')
        .map((method) => ({
          who: neededFor(method, needs),
          method,
          path: `${mount}${path === '/' ? '' : path}`.replace(/:(\w+)/g, '{$1}'),
        })),
    ),
  );
}
