import assert from 'node:assert/strict';
import type { PostureId, PostureStatus } from '../../shared/posture.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { foundBy, NOWHERE, postureAt, randomKey } from '../support/posture.ts';

describe('the posture of a deployment', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  const OUTSIDE = { PROXY_REQUIRE_SESSION: 'outside' };
  const PUBLIC = { BASE_URL: 'https://dashboard.example' };
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
    ['admin_proxies', { ...OUTSIDE, ...PUBLIC }, 'fail'],
    ['admin_proxies', { ...OUTSIDE, ...PUBLIC, NODE_ENV: 'production' }, 'fail'],
    ['admin_proxies', { ...PUBLIC, NODE_ENV: 'production' }, 'pass'],
    ['admin_proxies', { ...PUBLIC, PROXY_REQUIRE_SESSION: 'false' }, 'fail'],
    ['admin_proxies', { TRUST_PROXY: '1', PROXY_REQUIRE_SESSION: 'true' }, 'pass'],
    ['admin_proxies', { TRUST_PROXY: '1', PROXY_REQUIRE_SESSION: 'false' }, 'fail'],
    ['admin_proxies', { ...OUTSIDE, ...PUBLIC, TRUST_PROXY: '1' }, 'warn'],
    ['admin_proxies', { ...OUTSIDE, ...PUBLIC, TRUST_PROXY: '3' }, 'warn'],
    ['admin_proxies', { ...OUTSIDE, ...PUBLIC, TRUST_PROXY: '127.0.0.1' }, 'warn'],
    ['admin_proxies', { ...OUTSIDE, ...PUBLIC, TRUST_PROXY: '10.0.0.0/8', HOST: '0.0.0.0' }, 'warn'],
    ['admin_proxies', { ...OUTSIDE, ...PUBLIC, TRUST_PROXY: '198.51.100.0/24', HOST: '0.0.0.0' }, 'pass'],
    ['allowed_networks', { HOST: '127.0.0.1' }, 'pass'],
    ['allowed_networks', { HOST: '0.0.0.0', ALLOWED_NETWORKS: '10.0.0.0/8' }, 'pass'],
    ['allowed_networks', { HOST: '0.0.0.0' }, 'warn'],
    [
      'allowed_networks',
      { HOST: '0.0.0.0', DEPLOYMENT: 'workforce', ALLOWED_NETWORKS: '0.0.0.0/1,128.0.0.0/1', OPERATOR_SCHEMA_IDS: '' },
      'fail',
    ],
    ['trusted_proxies', {}, 'pass'],
    ['trusted_proxies', PUBLIC, 'warn'],
    ['trusted_proxies', { ...PUBLIC, TRUST_PROXY: '127.0.0.1' }, 'pass'],
    ['trusted_proxies', { TRUST_PROXY: '10.0.0.0/8,fc00::/7' }, 'pass'],
    ['trusted_proxies', { TRUST_PROXY: '1' }, 'warn'],
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
