import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { diagnose } from '../../server/checks/doctor.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { createDeps } from '../../server/deps.ts';
import { POSTURE_IDS } from '../../shared/security.ts';
import { silentLog } from '../support/context.ts';
import { startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import type { ReceivedRequest, StubResponse } from '../support/faulting-upstream.ts';
import { freePort } from '../support/loopback.ts';
import { ofSuite } from '../support/of-suite.ts';
import { openidVariables } from '../support/openid-double.ts';
import {
  ADMIN_PORT_KEY,
  checkIn,
  contentOf,
  diagnosisIn,
  OPTIONAL_CHECKS,
  PRODUCTION_KEYS,
  type ServiceName,
  startPlatform,
} from '../support/platform.ts';
import { SERVICE_ARGUMENTS, startNode } from '../support/processes.ts';

/** These checks depend on the machine that runs the tests, not on the platform. */
const DEPENDS_ON_MACHINE = ['node_release', 'geo_data', 'clock'];

describe('the doctor with --from', () => {
  const dashboard = ofSuite(startDashboard);

  for (const [rule, status] of [
    ['true', 'pass'],
    ['false', 'fail'],
  ])
    it(`rates outside_admin_proxies as ${status} while the service runs with PROXY_REQUIRE_SESSION=${rule}`, async () => {
      await dashboard.restart({ PROXY_REQUIRE_SESSION: rule });
      const options = { connects: true, from: dashboard.url };
      const checks = ['outside_admin_proxies', 'outside_address', 'outside_metrics'];
      // On a slow machine, a check may run out of time.
      await eventually(async () => {
        const diagnosis = await diagnose(dashboard.env, options);
        return checks.map((id) => checkIn(diagnosis, id)?.status);
      }, [status, 'pass', 'pass']);
    });
});

describeOnDatabases('the doctor', (databases) => {
  const platform = ofSuite(startPlatform);
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    env = platform.env((await databases.createMigrated()).url);
    await asService(async ({ vault }) => {
      for (const name of ['identity-admin', 'oauth-admin'])
        await vault.put({ key: `upstream.${name}.api_key`, value: ADMIN_PORT_KEY, encrypted: true }, 'test');
    });
    for (const service of Object.values(platform.services)) service.reset();
  });

  async function asService(act: (deps: Awaited<ReturnType<typeof createDeps>>) => Promise<void>): Promise<void> {
    const deps = await createDeps(parseConfig(env), silentLog);
    try {
      await act(deps);
    } finally {
      await deps.close();
    }
  }
  const respondTo =
    (path: RegExp, response: StubResponse) =>
    (request: ReceivedRequest): StubResponse | undefined =>
      path.test(request.path) ? response : undefined;
  const json = (body: unknown): StubResponse => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  it('finds no fault in a complete platform, and changes nothing', async () => {
    const database = databases.open(env.DATABASE_URL ?? '');
    const content = await contentOf(database);
    const passing = ['oauth_client', 'administrators', 'upstream_keys', 'migrations', 'secrets_on_previous_key'];
    await eventually(async () => {
      const { checks } = await diagnosisIn(env);
      return checks.filter(({ id, status }) =>
        passing.includes(id) ? status !== 'pass' : status === 'fail' && !DEPENDS_ON_MACHINE.includes(id),
      );
    }, []);
    assert.equal(await contentOf(database), content);
    const requests = Object.values(platform.services).flatMap((service) => service.requests);
    assert.deepEqual([...new Set(requests.map(({ method }) => method))], ['GET']);
    assert.ok(requests.length > 10);
  });

  it('does not take an OAuth 2.0 server that is slow for a wrong address', async () => {
    platform.services.oauth.before = respondTo(/openid-configuration/, 'silence');
    const diagnosis = await diagnosisIn(env);
    const { status, critical, detail = '', action } = checkIn(diagnosis, 'oauth_server') ?? {};
    assert.deepEqual([status, critical, /not respond/.test(detail)], ['fail', false, true]);
    assert.doesNotMatch(`${action} ${checkIn(diagnosis, 'second_factor')?.detail}`, /Correct|No operators/);
  });

  it('verifies the whole audit trail unless it is quick, and names the checks that it could not run', async () => {
    const { knex } = databases.open(env.DATABASE_URL ?? '');
    const trail = async () => {
      const { status, detail } = checkIn(await diagnosisIn(env), 'audit_chain') ?? assert.fail();
      return `${status}: ${detail}`;
    };
    assert.equal(await trail(), 'pass: All records up to number 2 are unchanged.');
    await knex('audit_log').where({ sequence: 2 }).update({ actor: 'eve' });
    assert.equal(await trail(), 'fail: It is broken at record 2.');
    await knex('audit_log').delete();
    assert.equal(await trail(), 'fail: It is broken at record 1.');
    const { checks, notRun } = await diagnosisIn(env, { quick: true });
    const outside = ['outside_address', 'outside_admin_proxies', 'outside_metrics'];
    assert.deepEqual(notRun.map(({ id }) => id).sort(), ['audit_chain', 'audit_queue', ...outside]);
    const ids = [...checks, ...notRun].map(({ id }) => id);
    const missing = [...POSTURE_IDS, 'pkce'].filter((id) => !ids.includes(id));
    assert.deepEqual(missing, OPTIONAL_CHECKS);
    env.DATABASE_URL = (await databases.createMigrated()).url;
    assert.equal(await trail(), 'pass: It has no records yet.');
  });

  const OF_HYDRA = ['oauth_client', 'sign_in_page', 'pkce'];
  const OF_STORE = ['operator_schemas', 'role_self_service', 'administrators'];
  for (const [shape, from, lacks, absent, claims] of [
    ['Kratos', 'email', ['OAUTH_URL', 'OAUTH_ADMIN_URL'], OF_HYDRA, 'email, email_verified.'],
    ['Hydra', 'claims', ['IDENTITY_URL', 'IDENTITY_ADMIN_URL'], [...OF_HYDRA, ...OF_STORE], 'email, /groups.'],
  ] as const)
    it(`checks only what is there with ${shape} and an OpenID provider, and prints what to register`, async () => {
      // The sandbox’s OAuth server has a discovery document, like an OpenID provider.
      const provider = openidVariables(platform.sandbox.url('oauth'), from);
      const shaped: NodeJS.ProcessEnv = { ...env, ...provider, OAUTH_SIGN_OUT: 'provider', EVENTS_PORT: '4318' };
      for (const name of lacks) delete shaped[name];
      await eventually(async () => (await diagnosisIn(shaped)).exitCode, 0);
      const { checks, notRun } = await diagnosisIn(shaped);
      const found = new Map([...checks, ...notRun].map((check) => [check.id, JSON.stringify(check)]));
      const ids = [...OF_HYDRA, ...OF_STORE, ...OPTIONAL_CHECKS];
      assert.deepEqual(
        ids.filter((id) => !found.has(id)),
        absent,
      );
      assert.match(found.get('second_factor') ?? '', /provider decides/);
      assert.match(found.get('sign_in_log') ?? '', new RegExp(`"${shape} has never reported anything`));
      for (const text of [`${env.BASE_URL}/api/auth/callback.`, `${env.BASE_URL}/signed-out.`, `Claims: ${claims}`])
        assert.ok(found.get('registration')?.includes(text), text);
      found.delete('registration');
      assert.doesNotMatch([...found.values()].join(), /OAuth (?:2\.0 )?server|AUTH_URL|https?:|\/groups|viewers/);
    });

  const redirect = (location: string): NodeJS.ProcessEnv => {
    platform.services.oauth.before = respondTo(/^\/oauth2\/auth/, { status: 302, headers: { location } });
    return {};
  };
  const listIdentities = (identities: object[]): NodeJS.ProcessEnv => {
    platform.services.identityAdmin.before = respondTo(/^\/admin\/identities/, json(identities));
    return {};
  };
  const WITHOUT_ADMINISTRATOR = [
    { state: 'inactive', schema_id: 'operator', traits: { role: 'admin' } },
    { state: 'active', schema_id: 'customer', traits: { role: 'admin' } },
    { state: 'active', schema_id: 'operator', traits: { role: 'viewer' } },
  ];
  const OTHER_KEY = { ENCRYPTION_KEY: PRODUCTION_KEYS.ENCRYPTION_KEY.toLowerCase() };
  const MISTAKES: [mistake: string, id: string, exitCode: 1 | 2, make: () => NodeJS.ProcessEnv][] = [
    ['a redirect URI with another address', 'oauth_client', 1, () => ({ BASE_URL: 'http://localhost:3001' })],
    ['an unexpected issuer', 'oauth_server', 1, () => ({ AUTH_URL: 'http://localhost:4444' })],
    ['a missing sign-in page', 'sign_in_page', 1, () => redirect('/oauth2/fallbacks/login')],
    ['a wrong key for the store of operators', 'administrators', 1, () => ({ AUTH_IDENTITY_ADMIN_KEY: 'wrong' })],
    ['operator schemas that do not exist', 'operator_schemas', 1, () => ({ OPERATOR_SCHEMA_IDS: 'staff' })],
    ['the lack of an active administrator', 'administrators', 1, () => listIdentities(WITHOUT_ADMINISTRATOR)],
    ['an encryption key that decrypts no setting', 'secrets_on_previous_key', 1, () => OTHER_KEY],
    ['admin APIs open to everyone', 'admin_proxies', 2, () => ({ PROXY_REQUIRE_SESSION: 'false', HOST: '0.0.0.0' })],
  ];
  for (const [mistake, id, exitCode, make] of MISTAKES)
    it(`fails the check ${id} with exit code ${exitCode} because of ${mistake}`, async () => {
      const changed = { ...env, ...make() };
      await eventually(async () => {
        const diagnosis = await diagnosisIn(changed);
        return [checkIn(diagnosis, id)?.status, diagnosis.exitCode];
      }, ['fail', exitCode]);
    });

  /** @returns the status of each check that reports another problem after a change; `none` if the check is not made */
  async function changesAfter(act: () => Promise<void>): Promise<Record<string, string>> {
    const before = await diagnosisIn(env);
    await act();
    const after = await diagnosisIn(env);
    assert.doesNotMatch(JSON.stringify(after), /as expected|did not respond/);
    return Object.fromEntries(
      before.checks
        .filter(({ id, detail }) => checkIn(after, id)?.detail !== detail && !DEPENDS_ON_MACHINE.includes(id))
        .map(({ id }) => [id, checkIn(after, id)?.status ?? 'none'])
        .filter(([, status]) => status !== 'pass'),
    );
  }

  it('fails only the check upstream_keys if the stored key of an admin port is wrong', async () => {
    const changes = await changesAfter(() =>
      asService(async ({ vault }) => {
        await vault.put({ key: 'upstream.oauth-admin.api_key', value: 'wrong', encrypted: true }, 'test');
      }),
    );
    assert.deepEqual(changes, { upstream_keys: 'fail', oauth_client: 'unknown' });
  });

  if (databases.client === 'mysql')
    it('fails only the check database if the password is wrong, and skips all checks that need the database', async () => {
      const { database, ...others } = await changesAfter(async () => {
        const url = new URL(env.DATABASE_URL ?? '');
        url.password = 'wrong';
        env.DATABASE_URL = url.href;
      });
      assert.equal(database, 'fail');
      assert.deepEqual([...new Set(Object.values(others))], ['none']);
      assert.ok('oauth_client' in others);
    });

  it('warns of an empty database without creating tables, warns of an older one, and fails for a newer one', async () => {
    const url = await databases.create();
    const empty = await diagnosisIn({ ...env, DATABASE_URL: url });
    assert.equal(checkIn(empty, 'migrations')?.status, 'warn');
    if (url.startsWith('sqlite:')) assert.equal(existsSync(url.slice('sqlite:'.length)), false);
    else assert.equal(await contentOf(databases.open(url)), '[]');

    const { knex } = databases.open(env.DATABASE_URL ?? '');
    const last = await knex('knex_migrations').max('id as id').first();
    await knex('knex_migrations').where({ id: last?.id }).delete();
    assert.equal(checkIn(await diagnosisIn(env), 'migrations')?.status, 'warn');
    assert.equal(checkIn(await diagnosisIn({ ...env, MIGRATIONS: 'wait' }), 'migrations')?.critical, true);
    await knex('knex_migrations').insert({ name: '999-of-a-later-release', batch: 9, migration_time: new Date() });
    const newer = checkIn(await diagnosisIn(env), 'migrations');
    assert.equal(newer?.status, 'fail');
    assert.match(newer?.detail ?? '', /999-of-a-later-release/);
  });

  it('passes no check of a service whose responses are missing, invalid or too large, and completes the others', async () => {
    const FAULTS: [ServiceName, StubResponse, id: string][] = [
      ['identity', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }, 'operator_schemas'],
      ['identityAdmin', json('x'.repeat(20_000_000)), 'administrators'],
      ['oauth', { status: 503 }, 'oauth_server'],
      ['oauthAdmin', 'silence', 'oauth_client'],
    ];
    for (const [service, fault] of FAULTS) platform.services[service].before = () => fault;
    const diagnosis = await diagnosisIn(env);
    for (const [service, , id] of FAULTS) {
      const check = checkIn(diagnosis, id);
      assert.ok(check !== undefined && check.status !== 'pass', service);
    }
    for (const id of ['database', 'key_strength']) assert.equal(checkIn(diagnosis, id)?.status, 'pass', id);
  });
});

/** Values that are recognisable in the output. */
const SECRETS = {
  SESSION_SIGNING_KEY: 'distinctive-signing-key-Zm9vYmFyMTIzNDU2Nzg5MA',
  SESSION_SIGNING_KEY_PREVIOUS: 'distinctive-former-signing-key-QmFyYmF6OTg3NjU0MzIx',
  ENCRYPTION_KEY: 'distinctive-encryption-key-cXV1eGNvcmdlMTIzNDU2',
  ENCRYPTION_KEY_PREVIOUS: 'distinctive-former-encryption-key-Z3JhdWx0NjU0MzIx',
  AUTH_IDENTITY_ADMIN_KEY: 'distinctive-store-key',
};

describe('the command doctor', () => {
  let unusedAddress: string;
  before(async () => {
    unusedAddress = `127.0.0.1:${await freePort()}`;
  });

  async function run(args: string[], changed: Record<string, string> = {}) {
    const url = `http://${unusedAddress}`;
    const running = startNode([...SERVICE_ARGUMENTS, ...args], {
      ...SECRETS,
      NODE_ENV: 'production',
      BASE_URL: 'https://dashboard.example',
      DATABASE_URL: `mysql://dashboard:distinctive%2Fpassword@${unusedAddress}/dashboard`,
      OAUTH_CLIENT_ID: 'dashboard',
      OPERATOR_SCHEMA_IDS: 'operator',
      ...Object.fromEntries(
        ['AUTH_URL', 'IDENTITY_URL', 'IDENTITY_ADMIN_URL', 'OAUTH_URL', 'OAUTH_ADMIN_URL'].map((name) => [name, url]),
      ),
      ...changed,
    });
    const code = await running.ended();
    const output = running.output();
    assert.doesNotMatch(output, /distinctive/);
    return { code, output };
  }

  it('reports what prevents operators from signing in if no service responds', async () => {
    const { code, output } = await run(['doctor', '--quick', '--from', `http://${unusedAddress}`]);
    assert.equal(code, 1);
    for (const title of ['The database', 'Administrators', 'The OAuth 2.0 server', 'The dashboard from outside'])
      assert.match(output, new RegExp(`^LOCKED +${title}`, 'm'));
    assert.match(output, /^not run +Audit trail /m);
  });

  it('reports invalid, misspelt and missing variables with --environment, also as posture, and prints no secret', async () => {
    const invalid = await run(['posture', '--environment'], {
      DATABASE_URL: 'mysql://dashboard:distinctive/pass#word@127.0.0.1/dashboard',
      DATABASE_URI: 'distinctive',
    });
    assert.equal(invalid.code, 1);
    for (const name of ['DATABASE_URL', 'DATABASE_URI'])
      assert.match(invalid.output, new RegExp(`^LOCKED +The environment +${name} `, 'm'));
    assert.match(invalid.output, /did you mean DATABASE_URL\?\s/);
    const half = await run(['doctor', '--environment'], { OAUTH_ADMIN_URL: '' });
    assert.match(half.output, /^warning +The environment +OAUTH_URL is set without OAUTH_ADMIN_URL\./m);
  });
});
