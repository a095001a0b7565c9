import assert from 'node:assert/strict';
import type { RequestHandler } from 'express';
import type { AppDeps } from '../../server/app.ts';
import { respondWith, startGateApp } from '../support/gate-app.ts';

const fails = async (): Promise<never> => {
  await new Promise(setImmediate);
  throw new Error('a fault that nobody expected');
};
const failing: RequestHandler = fails;
const working = { health: respondWith('health'), auth: respondWith('auth'), socialConnections: respondWith('social') };
const foreign = { 'sec-fetch-site': 'cross-site' };

interface Fault {
  deps: Partial<AppDeps>;
  path: string;
  session?: string;
  headers?: Record<string, string>;
}

/** Each asynchronous step of the chain, with a request that passes through it. */
const FAULTS: Record<string, Fault> = {
  'the social connections': {
    deps: { publicRoutes: { ...working, socialConnections: failing } },
    path: '/api/connections/social',
  },
  'the health check': { deps: { publicRoutes: { ...working, health: failing } }, path: '/api/health' },
  'the sign-in': { deps: { publicRoutes: { ...working, auth: failing } }, path: '/api/auth/login' },
  'a public proxy': { deps: { proxyTo: () => failing }, path: '/api/identity/x' },
  'an admin proxy': { deps: { proxyTo: () => failing }, path: '/api/identity-admin/x' },
  'the look for a stored key': { deps: { hasKey: fails }, path: '/api/identity/x', headers: foreign },
  'the session check of an ambiguous path': { deps: { verify: fails }, path: '/api/health%2fx' },
  'the session check before a proxy': { deps: { verify: fails }, path: '/api/identity-admin/x' },
  'the page': { deps: { spa: failing }, path: '/dashboard' },
  'the session check of the gate': { deps: { verify: fails }, path: '/api/unknown' },
  'a route for admins': { deps: { routes: [['/api/x', 'settings.read', failing]] }, path: '/api/x', session: 'admin' },
};

describe('a handler that rejects', () => {
  for (const [name, { deps, ...request }] of Object.entries(FAULTS))
    it(`in ${name} is answered with 500 in the error shape, and the process lives`, async () => {
      const app = await startGateApp(deps);
      try {
        const response = await app.call(request.path, request);
        assert.equal(response.status, 500);
        assert.equal(response.headers.get('content-type'), 'application/json');
        const body = (await response.json()) as Record<string, unknown>;
        assert.equal(body.error, 'internal_error');
        assert.doesNotMatch(JSON.stringify(body), /nobody expected/);
        const other = request.path === '/api/health' ? '/api/auth/login' : '/api/health';
        assert.equal((await app.call(other)).status, 200);
      } finally {
        await app.close();
      }
    });
});
