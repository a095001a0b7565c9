import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../server/sandbox/start-sandbox.ts';
import { DEPLOYMENTS, type Deployment } from '../../shared/upstreams.ts';
import { type CallOptions, callAt } from '../support/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { CookieJar, signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { startServiceProcess } from '../support/service-process.ts';

const HOSTS: Record<Deployment, string> = { customer: 'localhost', workforce: 'workforce.localhost' };

/** A process of its own, with an OAuth server, an identity store and a database of its own. */
interface Side {
  sandbox: Sandbox;
  url: string;
  baseUrl: string;
  /** An administrator's. */
  session: string;
  call(path: string, options?: CallOptions): Promise<Response>;
  close(): Promise<void>;
}

async function startSide(deployment: Deployment): Promise<Side> {
  const directory = await mkdtemp(join(tmpdir(), `${deployment}-`));
  const port = await freePort();
  const baseUrl = `http://${HOSTS[deployment]}:${port}`;
  const url = `http://127.0.0.1:${port}`;
  const sandbox = await startSandbox({
    deployment,
    dataDirectory: directory,
    dashboardUrl: baseUrl,
    production: false,
    people: 0,
    locks: undefined,
    ports: { identityPublic: 0, identityAdmin: 0, oauthPublic: 0, oauthAdmin: 0 },
  });
  // All test services use the same keys, and so do both deployments.
  const service = await startServiceProcess({
    DEPLOYMENT: deployment,
    PORT: String(port),
    BASE_URL: baseUrl,
    ...sandbox.environment,
  });
  const side: Side = {
    sandbox,
    url,
    baseUrl,
    session: '',
    call: (path, options) => callAt(url, path, options),
    async close() {
      await service.close();
      await sandbox.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  side.session = await signIn(side);
  return side;
}

const adminOf = ({ sandbox }: Side) => sandbox.operators.find(({ role }) => role === 'admin') ?? assert.fail();

async function signIn(side: Side): Promise<string> {
  const { callback, jar } = await signInUpToCallback(side.url, side.baseUrl, adminOf(side));
  assert.equal((await visit(callback, jar)).headers.get('location'), '/dashboard');
  return jar.get('dashboard-session') ?? '';
}

describe('two deployments of one build that share their keys', () => {
  let sides: Side[] = [];
  before(async function () {
    this.timeout(300_000);
    sides = [];
    for (const deployment of DEPLOYMENTS) sides.push(await startSide(deployment));
  });
  after(async () => {
    for (const side of sides) await side.close();
  });

  /** Each deployment paired with the other one. */
  const pairs = (): [Side, Side][] => [sides, sides.toReversed()] as [Side, Side][];
  const statusOf = async (side: Side, session: string, path = '/api/config'): Promise<number> =>
    (await side.call(path, { session })).status;

  it('let nobody in with a session of the other', async () => {
    for (const [own, other] of pairs()) {
      assert.equal(await statusOf(own, own.session), 200);
      for (const path of ['/api/config', '/api/settings', '/api/auth/session', '/api/dashboard/layout'])
        assert.equal(await statusOf(own, other.session, path), 401);
      const both = { cookie: `dashboard-session=${own.session}; dashboard-session=${other.session}` };
      assert.equal((await own.call('/api/config', { headers: both })).status, 401);
    }
  });

  it('let nobody in with a code of the other’s OAuth server, whichever of them the sign-in began at', async () => {
    for (const [own, other] of pairs()) {
      const foreign = await signInUpToCallback(other.url, other.baseUrl, adminOf(other));
      const code = new URL(foreign.callback).searchParams.get('code') ?? '';
      const began = new CookieJar();
      const login = await visit(`${own.url}/api/auth/login`, began);
      const state = new URL(login.headers.get('location') ?? '').searchParams.get('state') ?? '';
      for (const [jar, query] of [
        [foreign.jar, new URL(foreign.callback).search],
        [began, `?${new URLSearchParams({ code, state })}`],
      ] as const) {
        const done = await visit(`${own.url}/api/auth/callback${query}`, jar);
        assert.equal(done.headers.get('location'), '/sign-in-failed?reason=provider_refused');
        assert.equal(jar.get('dashboard-session'), undefined);
      }
    }
  });

  it('end no session of the other at a sign-out or a revocation, though operators may have one id in both', async () => {
    for (const [own, other] of pairs()) {
      const left = await signIn(own);
      assert.equal((await own.call('/api/auth/logout', { session: left, method: 'POST' })).status, 204);
      const { identityId } = JSON.parse(Buffer.from(own.session.split('.')[0] ?? '', 'base64url').toString());
      const revoke = { session: own.session, json: { identity_id: identityId } };
      assert.equal((await own.call('/api/security/revocations', revoke)).status, 204);
      assert.equal(await statusOf(own, own.session), 401);
      assert.equal(await statusOf(other, other.session), 200);
      own.session = await signIn(own);
    }
  });
});
