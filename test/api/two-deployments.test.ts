import assert from 'node:assert/strict';
import { DEPLOYMENTS } from '../../shared/upstreams.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { CookieJar, sessionIn, signInUpToCallback, visit } from '../support/http-sign-in.ts';

describe('two deployments with the same keys', () => {
  let deployments: Dashboard[] = [];
  /** The session of an administrator at each deployment. */
  let sessions: Map<Dashboard, string>;
  before(async () => {
    deployments = [];
    for (const deployment of DEPLOYMENTS) deployments.push(await startDashboard({ deployment }));
    const [first, second] = deployments;
    assert.equal(first?.env['SESSION_SIGNING_KEY'], second?.env['SESSION_SIGNING_KEY']);
  });
  beforeEach(async () => {
    sessions = new Map();
    for (const deployment of deployments) sessions.set(deployment, await deployment.signIn('admin'));
  });
  after(async () => {
    for (const deployment of deployments) await deployment.close();
  });

  /** Each deployment paired with the other one. */
  const pairs = (): [Dashboard, Dashboard][] => [deployments, deployments.toReversed()] as [Dashboard, Dashboard][];
  const sessionAt = (deployment: Dashboard): string => sessions.get(deployment) ?? assert.fail();
  const identityOf = (session: string): string => sessionIn(session).identityId;
  const statusOf = async (deployment: Dashboard, session: string, path = '/api/config'): Promise<number> =>
    (await deployment.call(path, { session })).status;

  it('accept no session of each other', async () => {
    for (const [own, other] of pairs()) {
      assert.equal(await statusOf(own, sessionAt(own)), 200);
      for (const path of ['/api/config', '/api/settings', '/api/auth/session', '/api/dashboard/layout'])
        assert.equal(await statusOf(own, sessionAt(other), path), 401);
    }
  });

  it('accept no code from each other’s OAuth server, wherever the sign-in started', async () => {
    for (const [own, other] of pairs()) {
      const foreign = await signInUpToCallback(other.url, other.baseUrl, other.operator('admin'));
      const code = new URL(foreign.callback).searchParams.get('code') ?? '';
      const ownJar = new CookieJar();
      const login = await visit(`${own.url}/api/auth/login`, ownJar);
      const state = new URL(login.headers.get('location') ?? '').searchParams.get('state') ?? '';
      for (const [jar, query] of [
        [foreign.jar, new URL(foreign.callback).search],
        [ownJar, `?${new URLSearchParams({ code, state })}`],
      ] as const) {
        const done = await visit(`${own.url}/api/auth/callback${query}`, jar);
        assert.equal(done.headers.get('location'), '/sign-in-failed?reason=provider_refused');
        assert.equal(jar.get('dashboard-session'), undefined);
      }
    }
  });

  it('end no session of each other by a sign-out, or by a revocation of an operator’s sessions', async () => {
    for (const [own, other] of pairs()) {
      const signedOut = await own.signIn('admin');
      assert.equal((await own.call('/api/auth/logout', { session: signedOut, method: 'POST' })).status, 204);
      for (const identity_id of new Set([identityOf(sessionAt(other)), identityOf(sessionAt(own))])) {
        const revocation = { session: sessionAt(own), json: { identity_id } };
        assert.equal((await own.call('/api/security/revocations', revocation)).status, 204);
      }
      assert.equal(await statusOf(own, sessionAt(own)), 401);
      assert.equal(await statusOf(other, sessionAt(other)), 200);
      sessions.set(own, await own.signIn('admin'));
    }
  });
});
