import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { parseConfig } from '../../server/config/parse-config.ts';
import { createDeps } from '../../server/deps.ts';
import { diagnose } from '../../server/doctor/doctor.ts';
import { silentLog } from '../support/context.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import {
  checkIn,
  contentOf,
  type ExaminedPlatform,
  examined,
  examinedPlatform,
  OWN_KEYS,
  PLATFORM_KEY,
  type ServiceName,
} from '../support/examined-platform.ts';
import type { SeenRequest, StubResponse } from '../support/faulting-upstream.ts';
import { freePort } from '../support/free-port.ts';
import { SERVICE, startNode } from '../support/processes.ts';

/** Whatever Node this runs on, and whoever has not signed in yet, says nothing about the platform. */
const OF_THIS_MACHINE = ['node_release', 'geo_data', 'clock'];

describe('the doctor from the outside', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  for (const [rule, status] of [
    ['true', 'pass'],
    ['false', 'fail'],
  ])
    it(`finds the admin APIs as PROXY_REQUIRE_SESSION=${rule} leaves them: ${status}`, async () => {
      await dashboard.restart({ PROXY_REQUIRE_SESSION: rule });
      const options = { connects: true, from: dashboard.url, log: silentLog, now: Date.now };
      const checks = ['outside_admin_proxies', 'outside_address', 'outside_metrics'];
      // A slow machine may exceed the time of a check.
      await eventually(async () => {
        const found = await diagnose(dashboard.env, options);
        return checks.map((id) => checkIn(found, id)?.status);
      }, [status, 'pass', 'pass']);
    });
});

describeOnDatabases('the doctor', (databases) => {
  let platform: ExaminedPlatform;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    platform = await examinedPlatform();
  });
  after(() => platform.close());
  beforeEach(async () => {
    env = platform.env((await databases.migrated()).url);
    await asService(async ({ vault }) => {
      for (const name of ['identity-admin', 'oauth-admin'])
        await vault.put({ key: `upstream.${name}.api_key`, value: PLATFORM_KEY, encrypted: true }, 'test');
    });
    for (const service of Object.values(platform.services)) service.calm();
  });

  async function asService(act: (deps: Awaited<ReturnType<typeof createDeps>>) => Promise<void>): Promise<void> {
    const deps = await createDeps(parseConfig(env), silentLog);
    try {
      await act(deps);
    } finally {
      await deps.close();
    }
  }
  const answering =
    (path: RegExp, given: StubResponse) =>
    ({ path: asked }: SeenRequest) =>
      path.test(asked) ? given : undefined;
  const json = (body: unknown): StubResponse => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  it('finds nothing wrong with a complete platform, and changes nothing', async () => {
    const database = databases.open(env.DATABASE_URL ?? '');
    const content = await contentOf(database);
    const sound = ['oauth_client', 'administrators', 'upstream_keys', 'migrations', 'secrets_on_previous_key'];
    await eventually(async () => {
      const found = await examined(env);
      const wrong = found.checks.filter(({ id, status }) => status === 'fail' && !OF_THIS_MACHINE.includes(id));
      return [wrong, sound.filter((id) => checkIn(found, id)?.status !== 'pass')];
    }, [[], []]);
    assert.equal(await contentOf(database), content);
    const seen = Object.values(platform.services).flatMap((service) => service.seen);
    assert.deepEqual([...new Set(seen.map(({ method }) => method))], ['GET']);
    assert.ok(seen.length > 10);
  });

  describe('is red in the right place after', () => {
    const MISTAKES: [mistake: string, id: string, exitCode: 1 | 2, make: () => NodeJS.ProcessEnv][] = [
      ['a redirect URI for another address', 'oauth_client', 1, () => ({ BASE_URL: 'http://localhost:3001' })],
      ['another issuer', 'oauth_server', 1, () => ({ AUTH_URL: 'http://localhost:4444' })],
      ['no sign-in page', 'sign_in_page', 1, () => redirecting('/oauth2/fallbacks/login')],
      ['a wrong key of the operators’ store', 'administrators', 1, () => ({ AUTH_IDENTITY_ADMIN_KEY: 'wrong' })],
      ['schemas that do not exist', 'operator_schemas', 1, () => ({ OPERATOR_SCHEMA_IDS: 'staff' })],
      [
        'no administrator',
        'administrators',
        1,
        () =>
          identities([
            { state: 'inactive', schema_id: 'operator', traits: { role: 'admin' } },
            { state: 'active', schema_id: 'customer', traits: { role: 'admin' } },
            { state: 'active', schema_id: 'operator', traits: { role: 'viewer' } },
          ]),
      ],
      [
        'a key that opens no setting',
        'secrets_on_previous_key',
        1,
        () => ({ ENCRYPTION_KEY: OWN_KEYS.ENCRYPTION_KEY.toLowerCase() }),
      ],
      ['admin proxies that are open', 'admin_proxies', 2, () => ({ PROXY_REQUIRE_SESSION: 'false', HOST: '0.0.0.0' })],
    ];
    for (const [mistake, id, exitCode, make] of MISTAKES)
      it(mistake, async () => {
        const changed = { ...env, ...make() };
        await eventually(async () => {
          const found = await examined(changed);
          return [checkIn(found, id)?.status, found.exitCode];
        }, ['fail', exitCode]);
      });

    const redirecting = (location: string): NodeJS.ProcessEnv => {
      platform.services.oauth.before = answering(/^\/oauth2\/auth/, { status: 302, headers: { location } });
      return {};
    };
    const identities = (all: object[]): NodeJS.ProcessEnv => {
      platform.services.identityAdmin.before = answering(/^\/admin\/identities/, json(all));
      return {};
    };
  });

  describe('names a cause once:', () => {
    /** Each check that now finds something else and does not pass; `none` is one that is not made. */
    async function changes(act: () => Promise<NodeJS.ProcessEnv>): Promise<Record<string, string>> {
      const sound = await examined(env);
      const found = await examined({ ...env, ...(await act()) });
      assert.doesNotMatch(JSON.stringify(found), /as expected|did not respond/);
      const said = (id: string, { checks }: typeof found) => checks.find((check) => check.id === id)?.detail;
      return Object.fromEntries(
        sound.checks
          .filter(({ id }) => said(id, found) !== said(id, sound) && !OF_THIS_MACHINE.includes(id))
          .map(({ id }) => [id, checkIn(found, id)?.status ?? 'none'])
          .filter(([, status]) => status !== 'pass'),
      );
    }

    it('a wrong key of an admin port', async () => {
      const changed = await changes(async () => {
        await asService(({ vault }) =>
          vault.put({ key: 'upstream.oauth-admin.api_key', value: 'wrong', encrypted: true }, 'test').then(() => {}),
        );
        return {};
      });
      assert.deepEqual(changed, { upstream_keys: 'fail', oauth_client: 'unknown' });
    });

    if (databases.client === 'mysql')
      it('a wrong password of the database', async () => {
        const changed = await changes(async () => {
          const url = new URL(env.DATABASE_URL ?? '');
          url.password = 'wrong';
          return { DATABASE_URL: url.href };
        });
        const { database, ...others } = changed;
        assert.equal(database, 'fail');
        assert.deepEqual([...new Set(Object.values(others))], ['none']);
        assert.ok('oauth_client' in others);
      });
  });

  it('reports a database without tables, an older and a newer one, and changes none of them', async () => {
    const url = await databases.create();
    const empty = await examined({ ...env, DATABASE_URL: url });
    assert.equal(checkIn(empty, 'migrations')?.status, 'warn');
    if (url.startsWith('sqlite:')) assert.equal(existsSync(url.slice('sqlite:'.length)), false);
    else assert.equal(await contentOf(databases.open(url)), '[]');

    const { knex } = databases.open(env.DATABASE_URL ?? '');
    const last = await knex('knex_migrations').max('id as id').first();
    await knex('knex_migrations').where({ id: last?.id }).delete();
    assert.equal(checkIn(await examined(env), 'migrations')?.status, 'warn');
    const waiting = checkIn(await examined({ ...env, MIGRATIONS: 'wait' }), 'migrations');
    assert.equal(waiting?.critical, true);
    await knex('knex_migrations').insert({ name: '999-of-a-later-release', batch: 9, migration_time: new Date() });
    const newer = checkIn(await examined(env), 'migrations');
    assert.equal(newer?.status, 'fail');
    assert.match(newer?.detail ?? '', /999-of-a-later-release/);
  });

  it('names services that are silent, wrong or endless, and reports on everything else', async () => {
    const FAULTS: [ServiceName, StubResponse, id: string][] = [
      ['identity', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }, 'operator_schemas'],
      ['identityAdmin', json('x'.repeat(20_000_000)), 'administrators'],
      ['oauth', { status: 503 }, 'oauth_server'],
      ['oauthAdmin', 'silence', 'oauth_client'],
    ];
    for (const [service, fault] of FAULTS) platform.services[service].before = () => fault;
    const found = await examined(env);
    for (const [service, , id] of FAULTS) {
      const check = checkIn(found, id);
      assert.ok(check !== undefined && check.status !== 'pass', service);
    }
    for (const id of ['database', 'key_strength']) assert.equal(checkIn(found, id)?.status, 'pass', id);
  });
});

/** Each would be found in what is printed. */
const SECRETS = {
  SESSION_SIGNING_KEY: 'distinctive-signing-key-Zm9vYmFyMTIzNDU2Nzg5MA',
  SESSION_SIGNING_KEY_PREVIOUS: 'distinctive-former-signing-key-QmFyYmF6OTg3NjU0MzIx',
  ENCRYPTION_KEY: 'distinctive-encryption-key-cXV1eGNvcmdlMTIzNDU2',
  ENCRYPTION_KEY_PREVIOUS: 'distinctive-former-encryption-key-Z3JhdWx0NjU0MzIx',
  AUTH_IDENTITY_ADMIN_KEY: 'distinctive-store-key',
};

describe('the command doctor', () => {
  let nothing: string;
  before(async () => {
    nothing = `127.0.0.1:${await freePort()}`;
  });

  async function run(args: string[], changed: Record<string, string> = {}) {
    const url = `http://${nothing}`;
    const running = startNode([...SERVICE, 'doctor', ...args], {
      ...SECRETS,
      NODE_ENV: 'production',
      BASE_URL: 'https://dashboard.example',
      DATABASE_URL: `mysql://dashboard:distinctive%2Fpassword@${nothing}/dashboard`,
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

  it('reports what keeps operators out if nothing responds', async () => {
    const { code, output } = await run(['--from', `http://${nothing}`]);
    assert.equal(code, 1);
    for (const title of ['The database', 'Administrators', 'The OAuth 2.0 server', 'The dashboard from outside'])
      assert.match(output, new RegExp(`^LOCKED +${title}`, 'm'));
  });

  it('checks only the environment with --environment', async () => {
    const wrong = await run(['--environment'], {
      DATABASE_URL: 'mysql://dashboard:distinctive/pass#word@127.0.0.1/dashboard',
      DATABASE_URI: 'distinctive',
    });
    assert.equal(wrong.code, 1);
    for (const name of ['DATABASE_URL', 'DATABASE_URI'])
      assert.match(wrong.output, new RegExp(`^LOCKED +The environment +${name} `, 'm'));
    assert.match(wrong.output, /did you mean DATABASE_URL\?\s/);
  });
});
