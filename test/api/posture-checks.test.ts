import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import createKnex, { type Knex } from 'knex';
import { auditChain } from '../../server/audit/audit-chain.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { knexOptions } from '../../server/db/knex-options.ts';
import type { Deps } from '../../server/deps.ts';
import type { PostureId, PostureStatus } from '../../shared/posture.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { type PostureAt, postureAt } from '../support/posture.ts';
import { sandboxCredentials } from '../support/sandbox-credentials.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOWHERE = 'http://127.0.0.1:9';
const randomKey = (): string => {
  // Now and then a random text holds a word that a placeholder would.
  for (;;) {
    const key = randomBytes(32).toString('base64');
    if (!/change|example|secret|test|your-/i.test(key)) return key;
  }
};

/** Its texts are whole sentences. */
async function foundBy(id: PostureId, at: PostureAt): Promise<PostureStatus> {
  const { status, title, detail, why, action } = (await postureAt(at))(id);
  for (const text of [title, detail, why, action]) assert.match(text, /^[A-Z/].*[.a-z]$/s);
  return status;
}

describe('the posture', () => {
  let dashboard: Dashboard;
  let knex: Knex;
  let session: string;

  beforeEach(async () => {
    dashboard = await startDashboard();
    session = await dashboard.signIn('admin');
    knex = createKnex(knexOptions(parseDatabaseUrl(dashboard.env.DATABASE_URL ?? ''), { warn: () => {} }));
  });
  afterEach(async () => {
    await knex.destroy();
    await dashboard.close();
  });

  interface Change extends Omit<PostureAt, 'env'> {
    env?: NodeJS.ProcessEnv;
  }
  async function statusOf(id: PostureId, { env = {}, ...rest }: Change = {}): Promise<PostureStatus> {
    return foundBy(id, { env: { ...dashboard.env, ...env }, ...rest });
  }
  async function putSecret(key = 'mail.password'): Promise<void> {
    const answer = await dashboard.call('/api/settings', {
      session,
      json: { key, value: 'swordfish', encrypted: true },
    });
    assert.ok(answer.ok);
  }

  it('of the session key’s age follows the first record that it made', async () => {
    assert.equal(await statusOf('session_key_rotation'), 'pass');
    assert.equal(await statusOf('session_key_rotation', { now: Date.now() + 366 * DAY }), 'warn');
    assert.equal(await statusOf('session_key_rotation', { now: Date.now() + 731 * DAY }), 'fail');
    const SESSION_SIGNING_KEY = randomKey();
    const later = { env: { SESSION_SIGNING_KEY }, now: Date.now() + 731 * DAY };
    assert.equal(await statusOf('session_key_rotation', later), 'unknown');
    const first = ({ audit }: Deps): Promise<void> => audit.record({ action: 'login', actor: 'x', target: null });
    assert.equal(await statusOf('session_key_rotation', { ...later, first }), 'pass');
  });

  it('of the encryption key’s age follows the first start with it, unless it was in use before', async () => {
    assert.equal(await statusOf('encryption_key_rotation'), 'pass');
    assert.equal(await statusOf('encryption_key_rotation', { now: Date.now() + 366 * DAY }), 'warn');
    assert.equal(await statusOf('encryption_key_rotation', { now: Date.now() + 731 * DAY }), 'fail');
    const ENCRYPTION_KEY = randomKey();
    assert.equal(
      await statusOf('encryption_key_rotation', { env: { ENCRYPTION_KEY }, now: Date.now() + 731 * DAY }),
      'pass',
    );

    // As after an update from a release that did not note it.
    await putSecret();
    await knex('key_sightings').delete();
    assert.equal(await statusOf('encryption_key_rotation'), 'unknown');
    await knex('settings').update({ updated_at: new Date(Date.now() - 731 * DAY).toISOString() });
    assert.equal(await statusOf('encryption_key_rotation'), 'fail');
  });

  it('of the keys’ strength follows the keys', async () => {
    const [SESSION_SIGNING_KEY, ENCRYPTION_KEY] = [randomKey(), randomKey()];
    const strong = { SESSION_SIGNING_KEY, ENCRYPTION_KEY };
    assert.equal(await statusOf('key_strength', { env: strong }), 'pass');
    const hex = randomBytes(32).toString('hex');
    assert.equal(await statusOf('key_strength', { env: { ...strong, ENCRYPTION_KEY: hex } }), 'pass');
    for (const weak of [
      'change-me-0123456789-abcdefghijklmnop',
      'YOUR-KEY-0123456789-ABCDEFGHIJKLMNOP',
      'qwertyuiopasdf'.repeat(4),
    ])
      for (const name of ['SESSION_SIGNING_KEY', 'ENCRYPTION_KEY', 'ENCRYPTION_KEY_PREVIOUS'])
        assert.equal(await statusOf('key_strength', { env: { ...strong, [name]: weak } }), 'fail', `${name} ${weak}`);
    const dull = 'abcabdabeabfacbacdaceacfadbadcadeadf';
    assert.equal(await statusOf('key_strength', { env: { ...strong, ENCRYPTION_KEY: dull } }), 'warn');
  });

  it('of a previous session key follows what it signed last', async () => {
    assert.equal(await statusOf('previous_keys'), 'pass');
    const swapped = {
      SESSION_SIGNING_KEY: randomKey(),
      SESSION_SIGNING_KEY_PREVIOUS: dashboard.env.SESSION_SIGNING_KEY,
    };
    const waiting = { SESSION_SIGNING_KEY_PREVIOUS: randomKey() };
    assert.equal(await statusOf('previous_keys', { env: waiting }), 'warn');
    assert.equal(await statusOf('previous_keys', { env: swapped }), 'unknown');
    const first = ({ audit }: Deps): Promise<void> => audit.record({ action: 'login', actor: 'x', target: null });
    assert.equal(await statusOf('previous_keys', { env: swapped, first }), 'pass');
    assert.equal(await statusOf('previous_keys', { env: swapped, now: Date.now() + 9 * HOUR }), 'warn');
    assert.equal(await statusOf('previous_keys', { env: swapped, now: Date.now() + 91 * DAY }), 'fail');
  });

  it('of a previous encryption key follows the time since it was replaced', async () => {
    const swapped = { ENCRYPTION_KEY: randomKey(), ENCRYPTION_KEY_PREVIOUS: dashboard.env.ENCRYPTION_KEY };
    assert.equal(await statusOf('previous_keys', { env: swapped }), 'pass');
    assert.equal(await statusOf('previous_keys', { env: swapped, now: Date.now() + 2 * DAY }), 'warn');
    assert.equal(await statusOf('previous_keys', { env: swapped, now: Date.now() + 91 * DAY }), 'fail');
  });

  it('of the encrypted settings follows the key that each needs', async () => {
    assert.equal(await statusOf('secrets_on_previous_key'), 'pass');
    await putSecret();
    assert.equal(await statusOf('secrets_on_previous_key'), 'pass');
    const ENCRYPTION_KEY = randomKey();
    const swapped = { ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS: dashboard.env.ENCRYPTION_KEY };
    assert.equal(await statusOf('secrets_on_previous_key', { env: swapped }), 'warn');
    assert.equal(await statusOf('secrets_on_previous_key', { env: { ENCRYPTION_KEY } }), 'fail');
    const first = async ({ vault }: Deps): Promise<void> => {
      await vault.put({ key: 'mail.password', value: 'anew' }, 'somebody');
    };
    assert.equal(await statusOf('secrets_on_previous_key', { env: swapped, first }), 'pass');
    await knex.schema.renameTable('settings', 'elsewhere');
    assert.equal(await statusOf('secrets_on_previous_key'), 'unknown');
  });

  it('of roles follows the schemas themselves', async () => {
    const schemas = (properties: object) => [{ id: 'customer', schema: { properties: { traits: { properties } } } }];
    let properties: object = { email: {}, role: {} };
    const server = createServer((_req, res) => res.end(JSON.stringify(schemas(properties)))).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const env = { OPERATOR_SCHEMA_IDS: '', IDENTITY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    try {
      assert.equal(await statusOf('role_self_service', { env }), 'fail');
      properties = { email: {} };
      assert.equal(await statusOf('role_self_service', { env }), 'unknown');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('of second factors follows the operators’ credentials', async () => {
    await dashboard.signIn('viewer');
    const ids = new Map<string, string>(
      (await knex('audit_log').where({ action: 'login' }).select('record')).map(({ record }) => {
        const { actor, details } = JSON.parse(record);
        return [details.role, actor];
      }),
    );
    const credentials = sandboxCredentials(dashboard);
    assert.equal(await statusOf('second_factor'), 'fail');
    credentials.set(ids.get('admin') ?? '', 'totp', {});
    assert.equal(await statusOf('second_factor'), 'warn');
    credentials.set(ids.get('viewer') ?? '', 'webauthn', { credentials: [{ id: 'key' }] });
    assert.equal(await statusOf('second_factor'), 'pass');
    credentials.close();
    assert.equal(await statusOf('second_factor', { env: { AUTH_IDENTITY_ADMIN_URL: NOWHERE } }), 'unknown');
    assert.equal(await statusOf('second_factor', { now: Date.now() + 91 * DAY }), 'unknown');
  });

  it('of the OAuth client follows what the OAuth server has', async () => {
    assert.equal(await statusOf('oauth_client'), 'pass');
    const { redirect_uris } = (await (await clients('GET')).json()) as { redirect_uris: string[] };
    const CHANGES: [change: object, status: PostureStatus][] = [
      [{ redirect_uris: [...redirect_uris, 'https://evil.example/cb'] }, 'warn'],
      [{ redirect_uris: ['https://evil.example/cb'], post_logout_redirect_uris: [] }, 'fail'],
      [{ redirect_uris }, 'pass'],
      [{ grant_types: ['authorization_code', 'client_credentials'] }, 'warn'],
      [{ grant_types: ['refresh_token'] }, 'fail'],
      [{ grant_types: ['authorization_code'] }, 'pass'],
      [{ token_endpoint_auth_method: 'client_secret_basic' }, 'fail'],
      [{ token_endpoint_auth_method: 'none' }, 'pass'],
      [{ scope: 'openid email' }, 'fail'],
      [{ scope: 'email profile openid offline_access' }, 'pass'],
      [{ response_types: ['code', 'id_token'] }, 'warn'],
    ];
    for (const [change, status] of CHANGES) {
      const patch = Object.entries(change).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
      assert.equal((await clients('PATCH', patch)).status, 200, JSON.stringify(change));
      assert.equal(await statusOf('oauth_client'), status, JSON.stringify(change));
    }
  });
  const clients = (method: string, json?: unknown): Promise<Response> =>
    dashboard.call(`/api/oauth-admin/admin/clients/${dashboard.env.OAUTH_CLIENT_ID}`, { session, method, json });

  it('of the clock follows the clock', async () => {
    assert.equal(await statusOf('clock'), 'pass');
    for (const direction of [1, -1]) {
      assert.equal(await statusOf('clock', { now: Date.now() + direction * 20_000 }), 'warn');
      assert.equal(await statusOf('clock', { now: Date.now() + direction * 3_600_000 }), 'fail');
    }
  });

  it('of the audit trail follows its chain', async () => {
    assert.equal(await statusOf('audit_chain'), 'pass');
    await appendFast(20_000);
    assert.equal(await statusOf('audit_chain'), 'unknown');
    const first = async ({ chain }: Deps): Promise<void> => {
      while ((await chain.state()).status === 'checking');
    };
    assert.equal(await statusOf('audit_chain', { first }), 'pass');
    await knex('audit_log').where({ sequence: 1 }).update({ subject: 'setting:other' });
    assert.equal(await statusOf('audit_chain'), 'fail');
  });

  async function appendFast(count: number): Promise<void> {
    const chain = auditChain(derivedKeys({ current: dashboard.env.SESSION_SIGNING_KEY ?? '' }, 'audit-trail'));
    let head = await knex('audit_head').first('sequence', 'tag');
    const event = { action: 'login', actor: 'x', target: null, timestamp: new Date().toISOString() } as const;
    const records = Array.from({ length: count }, () => {
      head = chain.link(head, event);
      return head;
    });
    await knex.batchInsert('audit_log', records, 100);
    await knex('audit_head').update({ sequence: head.sequence, tag: head.tag });
  }

  it('of the audit queue follows what became of the records', async () => {
    const write = { action: 'proxy_write', actor: 'x', target: '/api/x', details: {} } as const;
    const queue =
      (count: number) =>
      async ({ audit }: Deps) => {
        for (let index = 0; index < count; index += 1) audit.queue(write);
        await new Promise((resolve) => setTimeout(resolve, 200));
      };
    assert.equal(await statusOf('audit_queue'), 'unknown');
    assert.equal(await statusOf('audit_queue', { first: queue(1) }), 'pass');
    const away = (count: number) => async (deps: Deps) => {
      await knex.schema.renameTable('audit_head', 'elsewhere');
      await queue(count)(deps);
    };
    const back = (): Promise<void> => knex.schema.renameTable('elsewhere', 'audit_head');
    assert.equal(await statusOf('audit_queue', { first: away(5) }), 'warn');
    await back();
    assert.equal(await statusOf('audit_queue', { first: away(10_050) }), 'fail');
    await back();
  });

  it('of Node.js follows the calendar', async () => {
    const major = Number(process.versions.node.split('.')[0]);
    assert.ok([20, 22, 24].includes(major), 'another release line: give its end here');
    const end = Date.parse({ 20: '2026-04-30', 22: '2027-04-30', 24: '2028-04-30' }[major] ?? '');
    assert.equal(await statusOf('node_release', { now: end - 91 * DAY }), 'pass');
    assert.equal(await statusOf('node_release', { now: end - 30 * DAY }), 'warn');
    assert.equal(await statusOf('node_release', { now: end + DAY }), 'fail');
  });
});

describe('the posture of a deployment', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  const SETTINGS: [id: PostureId, env: NodeJS.ProcessEnv, status: PostureStatus][] = [
    ['cookie_secure', { BASE_URL: 'https://dashboard.example' }, 'pass'],
    ['cookie_secure', { BASE_URL: 'http://localhost:3000' }, 'warn'],
    ['cookie_secure', { BASE_URL: 'http://dashboard.example' }, 'fail'],
    ['base_url', { BASE_URL: 'https://dashboard.example' }, 'pass'],
    ['base_url', { BASE_URL: 'http://workforce.localhost:4000' }, 'warn'],
    ['base_url', { BASE_URL: 'http://10.0.0.1' }, 'fail'],
    ['auth_url', { AUTH_URL: 'https://login.example', AUTH_INTERNAL_URL: 'http://hydra:4444' }, 'pass'],
    ['auth_url', { AUTH_URL: 'https://login.example', AUTH_INTERNAL_URL: 'http://10.1.2.3:4444' }, 'pass'],
    ['auth_url', { AUTH_URL: 'https://login.example', AUTH_INTERNAL_URL: 'http://login.example' }, 'warn'],
    ['auth_url', { AUTH_URL: 'http://127.0.0.1:4444' }, 'warn'],
    ['auth_url', { AUTH_URL: 'http://login.example' }, 'fail'],
    ['admin_proxies', { PROXY_REQUIRE_SESSION: 'true', HOST: '0.0.0.0' }, 'pass'],
    ['admin_proxies', { PROXY_REQUIRE_SESSION: 'outside' }, 'pass'],
    ['admin_proxies', { PROXY_REQUIRE_SESSION: 'outside', HOST: '::' }, 'warn'],
    ['admin_proxies', { PROXY_REQUIRE_SESSION: 'false', HOST: '::1' }, 'warn'],
    ['admin_proxies', { PROXY_REQUIRE_SESSION: 'false', HOST: '0.0.0.0' }, 'fail'],
    ['allowed_networks', { HOST: '127.0.0.1' }, 'pass'],
    ['allowed_networks', { HOST: '0.0.0.0', ALLOWED_NETWORKS: '10.0.0.0/8' }, 'pass'],
    ['allowed_networks', { HOST: '0.0.0.0' }, 'warn'],
    [
      'allowed_networks',
      { HOST: '0.0.0.0', DEPLOYMENT: 'workforce', ALLOWED_NETWORKS: '0.0.0.0/1,128.0.0.0/1', OPERATOR_SCHEMA_IDS: '' },
      'fail',
    ],
    ['trusted_proxies', {}, 'pass'],
    ['trusted_proxies', { TRUST_PROXY: '10.0.0.0/8,fc00::/7' }, 'pass'],
    ['trusted_proxies', { TRUST_PROXY: '1' }, 'warn'],
    ['trusted_proxies', { TRUST_PROXY: '0.0.0.0/0' }, 'fail'],
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: 'operator' }, 'pass'],
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: 'any' }, 'warn'],
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: 'operator,staff' }, 'warn'],
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: '' }, 'fail'],
    ['operator_schemas', { IDENTITY_URL: NOWHERE }, 'unknown'],
    ['operator_schemas', { IDENTITY_ADMIN_URL: '', OPERATOR_SCHEMA_IDS: '' }, 'unknown'],
    ['role_self_service', { OPERATOR_SCHEMA_IDS: 'operator' }, 'unknown'],
    ['role_self_service', { OPERATOR_SCHEMA_IDS: '' }, 'fail'],
    ['role_self_service', { OPERATOR_SCHEMA_IDS: '', IDENTITY_URL: NOWHERE }, 'unknown'],
    ['oauth_client', { OAUTH_ADMIN_URL: '' }, 'unknown'],
    ['oauth_client', { OAUTH_ADMIN_URL: NOWHERE }, 'unknown'],
    ['oauth_client', { OAUTH_CLIENT_ID: 'nobody' }, 'fail'],
    ['clock', { AUTH_INTERNAL_URL: NOWHERE }, 'unknown'],
    ['upstream_keys', { IDENTITY_ADMIN_URL: NOWHERE, OAUTH_ADMIN_URL: NOWHERE }, 'unknown'],
    ['upstream_keys', { IDENTITY_ADMIN_URL: '', OAUTH_ADMIN_URL: '', OPERATOR_SCHEMA_IDS: '' }, 'unknown'],
    ['upstream_without_key', { IDENTITY_ADMIN_URL: NOWHERE, OAUTH_ADMIN_URL: NOWHERE }, 'unknown'],
    ['upstream_without_key', {}, 'fail'],
  ];
  for (const [id, env, status] of SETTINGS)
    it(`of ${id} is ${status} with ${JSON.stringify(env)}`, async () => {
      assert.equal(await foundBy(id, { env: { ...dashboard.env, ...env } }), status);
    });
});

describe('the posture of upstreams that ask for a key', () => {
  let dashboard: Dashboard;
  const KEY = 'key-of-the-services';
  before(async () => {
    dashboard = await startDashboard({
      sandbox: { apiKeys: { identityAdmin: KEY, oauthAdmin: KEY } },
      env: { AUTH_IDENTITY_ADMIN_KEY: KEY },
    });
  });
  after(() => dashboard.close());

  it('follows the keys that are stored', async () => {
    const session = await dashboard.signIn('admin');
    const status = async (id: PostureId, env = {}): Promise<PostureStatus> =>
      (await postureAt({ env: { ...dashboard.env, ...env } }))(id).status;
    const store = async (name: string, value: string): Promise<void> => {
      const json = { key: `upstream.${name}.api_key`, value };
      assert.ok((await dashboard.call('/api/settings', { session, json })).ok);
    };
    assert.equal(await status('upstream_without_key'), 'pass');
    assert.equal(await status('upstream_keys'), 'fail');
    await store('identity-admin', KEY);
    await store('oauth-admin', 'another-key');
    assert.equal(await status('upstream_keys'), 'fail');
    await store('oauth-admin', KEY);
    assert.equal(await status('upstream_keys'), 'pass');
    assert.equal(await status('oauth_client'), 'pass');
    assert.equal(await status('upstream_keys', { ENCRYPTION_KEY: randomKey() }), 'fail');
    assert.equal(await status('upstream_keys', { OAUTH_ADMIN_URL: NOWHERE }), 'unknown');
    await store('oauth', KEY);
    assert.equal(await status('upstream_keys'), 'warn');
  });
});
