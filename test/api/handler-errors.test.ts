import assert from 'node:assert/strict';
import type { Response as ExpressResponse, RequestHandler } from 'express';
import type { AppDeps } from '../../server/app.ts';
import { ApiError } from '../../server/http/errors.ts';
import { respondWithName, startGateApp } from '../support/gate-app.ts';
import { ofTest } from '../support/of-suite.ts';

describe('an error that a handler throws', () => {
  const DATABASE_ERROR = new Error('the database is unavailable');
  let thrown: unknown;
  let beforeThrowing: (res: ExpressResponse) => void;
  const handler: RequestHandler = (_req, res) => {
    beforeThrowing(res);
    throw thrown;
  };
  const app = ofTest(() =>
    startGateApp({
      routes: [['/api/x', 'settings.read', handler]],
      isDatabaseUnavailable: (error) => error === DATABASE_ERROR,
    }),
  );
  beforeEach(() => {
    beforeThrowing = () => {};
  });

  const responseTo = (error: unknown, method = 'GET'): Promise<Response> => {
    thrown = error;
    return app.call('/api/x', { method, session: 'admin' });
  };

  it('is logged in one line with the id of the request, and its message is not sent', async () => {
    const response = await responseTo(new Error('a secret'));
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /secret/);
    assert.equal((await responseTo(new ApiError('bad_gateway'))).status, 502);
    const lines = app.logged.map((line) => JSON.parse(line)).filter(({ error }) => error !== undefined);
    assert.equal(lines.length, 2);
    assert.equal(lines[0].id, response.headers.get('x-request-id'));
  });

  it('results in a 503 with Retry-After if the database is unavailable', async () => {
    const response = await responseTo(DATABASE_ERROR);
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('retry-after'), '5');
    assert.equal(((await response.json()) as { error: string }).error, 'service_unavailable');
  });

  it('results in a response without a body to a HEAD request', async () => {
    const response = await responseTo(new ApiError('not_found'), 'HEAD');
    assert.equal(response.status, 404);
    assert.equal(await response.text(), '');
  });

  it('aborts a response that has started, so that the client does not consider it complete', async () => {
    beforeThrowing = (res) => void res.status(200).write('half');
    await assert.rejects(responseTo(new Error('later')).then((response) => response.text()));
  });
});

describe('a rejected promise', () => {
  const rejecting = async (): Promise<never> => {
    await new Promise(setImmediate);
    throw new Error('an unexpected fault');
  };
  const failing: RequestHandler = rejecting;
  const publicRoutes = {
    health: respondWithName('health'),
    auth: respondWithName('auth'),
    socialConnections: respondWithName('social'),
  };

  interface Fault {
    deps: Partial<AppDeps>;
    path: string;
    session?: string;
    headers?: Record<string, string>;
  }
  /** Each asynchronous step of the chain, with a request that passes through it. */
  const FAULTS: Record<string, Fault> = {
    'the list of social connections': {
      deps: { publicRoutes: { ...publicRoutes, socialConnections: failing } },
      path: '/api/connections/social',
    },
    'the health check': { deps: { publicRoutes: { ...publicRoutes, health: failing } }, path: '/api/health' },
    'the sign-in': { deps: { publicRoutes: { ...publicRoutes, auth: failing } }, path: '/api/auth/login' },
    'a public proxy': { deps: { proxyTo: () => failing }, path: '/api/identity/x' },
    'an admin proxy': { deps: { proxyTo: () => failing }, path: '/api/identity-admin/x' },
    'the lookup of a stored key': {
      deps: { hasKey: rejecting },
      path: '/api/identity/x',
      headers: { 'sec-fetch-site': 'cross-site' },
    },
    'the session check of an ambiguous path': { deps: { verify: rejecting }, path: '/api/health%2fx' },
    'the session check before a proxy': { deps: { verify: rejecting }, path: '/api/identity-admin/x' },
    'the handler of pages': { deps: { spa: failing }, path: '/dashboard' },
    'the session check of the gate': { deps: { verify: rejecting }, path: '/api/unknown' },
    'an admin route': { deps: { routes: [['/api/x', 'settings.read', failing]] }, path: '/api/x', session: 'admin' },
  };
  for (const [step, { deps, ...request }] of Object.entries(FAULTS))
    it(`in ${step} results in a 500 in the error shape, and the process keeps running`, async () => {
      const app = await startGateApp(deps);
      try {
        const response = await app.call(request.path, request);
        assert.equal(response.status, 500);
        assert.equal(response.headers.get('content-type'), 'application/json');
        const body = (await response.json()) as Record<string, unknown>;
        assert.equal(body.error, 'internal_error');
        assert.doesNotMatch(JSON.stringify(body), /unexpected fault/);
        const other = request.path === '/api/health' ? '/api/auth/login' : '/api/health';
        assert.equal((await app.call(other)).status, 200);
      } finally {
        await app.close();
      }
    });
});
