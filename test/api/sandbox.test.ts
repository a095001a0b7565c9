import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { DEPLOYMENT_SETTINGS } from '../../server/sandbox/deployment-settings.ts';
import { listenOnAll, serviceApp } from '../../server/sandbox/http.ts';
import { traitsProblem } from '../../server/sandbox/identity-service/schemas.ts';
import { sessionsOf } from '../../server/sandbox/seeds/activity.ts';
import { people } from '../../server/sandbox/seeds/people.ts';
import { randomFrom } from '../../server/sandbox/seeds/random.ts';
import { resetSandbox, startSandbox } from '../../server/sandbox/start-sandbox.ts';
import { rolesWith } from '../../shared/capabilities.ts';
import type { LockedAccountList } from '../../shared/security.ts';
import { DEPLOYMENTS } from '../../shared/upstreams.ts';
import { startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { CookieJar, submitSignIn, visit } from '../support/http-sign-in.ts';
import { ofSuite } from '../support/of-suite.ts';
import { requestHead, sendRaw } from '../support/raw-client.ts';
import { DASHBOARD_URL, startSandboxFixture } from '../support/sandbox-fixture.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('the sandbox', () => {
  const fixture = ofSuite(() => startSandboxFixture({ people: 1200 }));

  it('does not start in production', async () => {
    const options = { deployment: 'customer', dataDirectory: fixture.directory, dashboardUrl: DASHBOARD_URL } as const;
    await assert.rejects(startSandbox({ ...options, production: true }), /does not start in production/);
  });

  it('responds 503 with Retry-After from its first connection until it is ready', async () => {
    const listeners = await listenOnAll({ identityPublic: 0 });
    const respond = () => sendRaw(Number(new URL(listeners.urls.identityPublic).port), requestHead('GET /'));
    const early = await respond();
    listeners.serve({ identityPublic: serviceApp() });
    assert.deepEqual([early.status, early.header('retry-after'), (await respond()).status], [503, ['1'], 404]);
    await listeners.close();
  });

  it('listens on its loopback address alone', async () => {
    const outside = Object.values(networkInterfaces())
      .flatMap((entries) => entries ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    // A machine without a network has other addresses in 127.0.0.0/8, on which a listener on all addresses accepts too.
    const address = outside?.address ?? '127.0.0.2';
    for (const port of ['identity', 'identityAdmin', 'oauth', 'oauthAdmin'] as const) {
      const socket = connect(Number(new URL(fixture.url(port)).port), address);
      const outcome = await new Promise((resolve) => {
        socket.once('connect', () => resolve('connected'));
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      });
      socket.destroy();
      assert.equal(outcome, 'ECONNREFUSED', port);
    }
  });

  it('loses writes to one identity at the same time, as Kratos does', async () => {
    const [first] = (await fixture.admin<{ id: string }[]>('GET', '/admin/identities?page_size=1')).json;
    const path = `/admin/identities/${first?.id}`;
    const patch = (member: string, value: unknown) =>
      fixture.admin('PATCH', path, [{ op: 'add', path: `/metadata_admin${member}`, value }]);
    await eventually(async () => {
      await patch('', {});
      await Promise.all(['/a', '/b'].map((member) => patch(member, true)));
      const { json } = await fixture.admin<{ metadata_admin: object }>('GET', path);
      return Object.keys(json.metadata_admin).length;
    }, 1);
  });

  it('has 1,200 people and two operators, retains changes after a restart, and reports each tenth of its initial people, which it has again after a reset', async () => {
    const stored: number[] = [];
    const onProgress = (number: number, all: number) => stored.push(number, all);
    const count = async (): Promise<string | null> =>
      (await fixture.admin('GET', '/admin/identities?page=0&per_page=1')).headers.get('x-total-count');
    assert.equal(await count(), '1202');
    const [first] = (await fixture.admin<{ id: string }[]>('GET', '/admin/identities?page_size=1')).json;
    await fixture.admin('DELETE', `/admin/identities/${first?.id}`);
    await fixture.restart();
    assert.equal(await count(), '1201');
    await fixture.sandbox().close();
    resetSandbox(fixture.directory, 'customer');
    await fixture.restart({ onProgress });
    assert.equal(await count(), '1202');
    assert.deepEqual([stored.length, ...stored.slice(-4)], [20, 1080, 1200, 1200, 1200]);
  });
});

describe('the operators of a sandbox', () => {
  const fixture = ofSuite(startSandboxFixture);

  it('include those of extra roles once these are enabled, in any order, and are listed only while they are', async () => {
    const people = async () => (await fixture.admin<{ traits: { role: string } }[]>('GET', '/admin/identities')).json;
    const afterRestart = async (...extra: string[]): Promise<string[][]> => {
      await fixture.restart({ roles: rolesWith(extra) });
      const stored = await people();
      return [stored.map(({ traits }) => traits.role).sort(), fixture.sandbox().operators.map(({ role }) => role)];
    };
    const three = ['admin', 'auditor', 'viewer'];
    assert.deepEqual(await afterRestart('auditor'), [three, ['admin', 'viewer', 'auditor']]);
    const all = ['admin', 'auditor', 'support', 'viewer'];
    assert.deepEqual(await afterRestart('auditor', 'support'), [all, ['admin', 'viewer', 'support', 'auditor']]);
    assert.deepEqual(await afterRestart(), [all, ['admin', 'viewer']]);
    const found = await fixture.admin<{ id: string }[]>(
      'GET',
      '/admin/identities?credentials_identifier=viewer@example.com',
    );
    await fixture.admin('DELETE', `/admin/identities/${found.json[0]?.id}`);
    assert.deepEqual((await afterRestart('support'))[0], ['admin', 'auditor', 'support']);
  });
});

for (const deployment of DEPLOYMENTS)
  describe(`the fictitious people of the ${deployment} sandbox`, () => {
    const NOW = Date.UTC(2026, 10, 20, 12);
    const { schemas } = DEPLOYMENT_SETTINGS[deployment];
    const random = randomFrom(7);
    const everyone = [...people(1200, schemas, random, NOW)];
    const sessions = everyone.flatMap((person) =>
      [...sessionsOf(person, deployment, random, NOW)].map(({ document }) => document),
    );

    it('conform to their schemas and have different e-mail addresses in example domains', () => {
      for (const { identity } of everyone) {
        const schema = schemas.find(({ id }) => id === identity.schema_id);
        assert.ok(schema);
        assert.equal(traitsProblem(schema.schema, identity.traits), undefined);
      }
      const emails = everyone.map(({ identity }) => identity.traits.email);
      assert.equal(new Set(emails).size, emails.length);
      assert.ok(emails.every((email) => /^[a-z0-9.]+@example\.(com|org|net)$/.test(String(email))));
    });

    it('have sessions within the last three months, from public addresses', () => {
      assert.ok(sessions.length > 2_000);
      // At different times: somebody who has just registered has signed in again since.
      const times = sessions.map(({ issued_at }) => issued_at);
      assert.ok(new Set(times).size > sessions.length * 0.99);
      for (const { issued_at, devices } of sessions) {
        const age = NOW - Date.parse(issued_at);
        assert.ok(age >= 0 && age <= 93 * DAY_MS, issued_at);
        const address = devices[0]?.ip_address ?? '';
        assert.doesNotMatch(address, /^(10|127|0|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|22[4-9]|2[3-5]\d)\./);
      }
    });
  });

describeOnDatabases('the sign-in page of the sandbox', (databases) => {
  it('locks an account after five wrong passwords until it is unlocked in the dashboard, or for fifteen minutes', async () => {
    let now = Date.now();
    const env = { DATABASE_URL: await databases.create() };
    const dashboard = await startDashboard({ locks: true, now: () => now, sandbox: { now: () => now }, env });
    try {
      const session = await dashboard.signIn('admin');
      const { email, password } = dashboard.operator('viewer');
      /** @returns the message of the page, or nothing when it redirects */
      const attempt = async (identifier: string, secret: string): Promise<string> => {
        const jar = new CookieJar();
        const login = await visit(`${dashboard.url}/api/auth/login`, new CookieJar());
        const authorization = login.headers.get('location') ?? '';
        const page = (await visit(authorization, jar)).headers.get('location') ?? '';
        const fields = { identifier, password: secret };
        const response = await submitSignIn(new URL(page, authorization).href, jar, fields);
        return /role="alert">([^<]+)</.exec(await response.text())?.[1] ?? '';
      };
      const fail = async (identifier: string, times: number): Promise<string> => {
        let message = '';
        for (let count = 0; count < times; count += 1) message = await attempt(identifier, `wrong ${count}`);
        return message;
      };
      const locked = async (): Promise<LockedAccountList['data']> => {
        const response = await dashboard.call('/api/security/locked-accounts', { session });
        return ((await response.json()) as LockedAccountList).data;
      };
      const unlock = async (identifier: string): Promise<number> => {
        const json = { identifier };
        return (await dashboard.call('/api/security/locked-accounts/unlock', { session, json })).status;
      };

      assert.match(await fail(email.toUpperCase(), 4), /or the password, is wrong/);
      assert.deepEqual(await locked(), []);
      assert.match(await fail(` ${email}`, 1), /is locked/);
      assert.match(await attempt(email, password), /is locked/);

      const [account] = await locked();
      assert.deepEqual([account?.identifier, account?.attempts], [email, 5]);
      assert.equal(account?.locked_until, new Date(now + 15 * MINUTE_MS).toISOString());
      assert.equal(await unlock(` ${email.toUpperCase()} `), 200);
      assert.deepEqual(await locked(), []);
      assert.equal(await attempt(email, password), '');

      await fail(email, 5);
      now += 15 * MINUTE_MS - 1;
      assert.match(await attempt(email, password), /is locked/);
      now += 1;
      assert.equal(await attempt(email, password), '');
      assert.equal(await unlock(email), 404);
    } finally {
      await dashboard.close();
    }
  });
});
