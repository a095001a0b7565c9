import assert from 'node:assert/strict';
import { Router } from 'express';
import type { Route } from '../../server/app.ts';
import { CAPABILITIES, type Capability, ROLES, type Role } from '../../shared/capabilities.ts';
import { type GateApp, respondWith, startGateApp } from '../support/gate-app.ts';
import { may } from '../support/roles.ts';

function exactRouter(): Router {
  const router = Router({ caseSensitive: true });
  router.all('/', respondWith('there'));
  return router;
}

const READ_AND_WRITE: readonly Route[] = [
  ['/api/readable', { read: 'statistics.read', write: 'settings.write' }, exactRouter()],
  ['/api/writable', { read: 'settings.read', write: 'statistics.read' }, exactRouter()],
];
const BROWSER = { 'sec-fetch-site': 'same-origin' };

/** A request, what it needs, and what it answers who has that. */
const CASES: [path: string, method: string, needs: Capability, granted: number][] = [
  ...CAPABILITIES.flatMap((needs): [string, string, Capability, number][] => [
    [`/api/for-${needs}`, 'GET', needs, 200],
    [`/api/for-${needs}`, 'DELETE', needs, 200],
    [`/api/for-${needs}/deeper`, 'GET', needs, 404],
  ]),
  ...['GET', 'HEAD', 'OPTIONS'].flatMap((method): [string, string, Capability, number][] => [
    ['/api/readable', method, 'statistics.read', 200],
    ['/api/writable', method, 'settings.read', 200],
    ['/api/identity-admin/x', method, 'upstreams.read', 200],
  ]),
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].flatMap((method): [string, string, Capability, number][] => [
    ['/api/readable', method, 'settings.write', 200],
    ['/api/writable', method, 'statistics.read', 200],
    ['/api/oauth-admin/x', method, 'upstreams.write', 200],
  ]),
  ['/api/for-geo.read%2fx', 'GET', 'paths.any', 404],
  ['/api/unknown', 'GET', 'layout.own', 404],
];

describe('a route behind the session', () => {
  let app: GateApp;
  before(async () => {
    const routes = CAPABILITIES.map((needs): Route => [`/api/for-${needs}`, needs, exactRouter()]);
    app = await startGateApp({ routes: [...routes, ...READ_AND_WRITE] });
  });
  after(() => app.close());

  const status = async (path: string, method: string, session?: Role): Promise<number> =>
    (await app.call(path, { method, session, headers: BROWSER })).status;

  it('is nobody’s without a session', async () => {
    for (const [path, method] of CASES) assert.equal(await status(path, method), 401, `${method} ${path}`);
  });

  for (const role of ROLES)
    it(`serves the role ${role} as far as its capabilities go, and tells it of deeper paths no further`, async () => {
      for (const [path, method, needs, granted] of CASES)
        assert.equal(await status(path, method, role), may(role, needs) ? granted : 403, `${method} ${path}: ${needs}`);
    });

  it('does not compile without a capability, nor with an unknown one', () => {
    // @ts-expect-error what it needs is missing
    const withoutCapability: Route = ['/api/x', exactRouter()];
    // @ts-expect-error there is no such capability
    const unknown: Route = ['/api/x', 'owner', exactRouter()];
    // @ts-expect-error what a write needs is missing
    const readOnly: Route = ['/api/x', { read: 'audit.read' }, exactRouter()];
    assert.equal([withoutCapability, unknown, readOnly].length, 3);
  });
});
