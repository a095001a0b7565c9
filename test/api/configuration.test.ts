import assert from 'node:assert/strict';
import type { Statistics } from '../../shared/dashboard.ts';
import type { Posture } from '../../shared/security.ts';
import type { Configuration } from '../../shared/upstreams.ts';
import { startWithAdmin } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';

const SHAPES = [
  ['Kratos', 'identity identity-admin', { OAUTH_URL: '', OAUTH_ADMIN_URL: '' }, 'identities', 'clients'],
  ['Hydra', 'oauth oauth-admin', { IDENTITY_URL: '', IDENTITY_ADMIN_URL: '' }, 'clients', 'identities'],
] as const;

describe('the service', () => {
  const dashboard = ofSuite(() => startWithAdmin({ storeFromSandbox: true }));

  it('reports its configuration without an address or a secret', async () => {
    const response = await dashboard.callAsAdmin('/api/config');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const text = await response.text();
    assert.doesNotMatch(text, /127\.0\.0\.1|localhost|http|sqlite|key-of-the-tests/);
    const { deployment, version, upstreams, features } = JSON.parse(text) as Configuration;
    assert.equal(deployment, 'customer');
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.deepEqual(upstreams['identity-admin'], { configured: true, api_key_stored: false });
    assert.deepEqual(upstreams['iam-identity'], { configured: false, api_key_stored: false });
    const { operator_schemas_restricted, sign_in, operators_from } = features;
    assert.deepEqual([operator_schemas_restricted, sign_in, operators_from], [true, 'oauth2', 'identity']);
  });

  it('lists a social provider publicly once it is enabled, without its client id and secret', async () => {
    const providers = async (): Promise<string> => (await dashboard.call('/api/connections/social')).text();
    assert.equal(await providers(), '{"providers":[]}');
    for (const [key, value] of [
      ['social.github.client_id', 'client-id-of-github'],
      ['social.github.client_secret', 'secret-of-github'],
      ['social.github.enabled', 'true'],
    ])
      assert.equal((await dashboard.callAsAdmin('/api/settings', { json: { key, value } })).status, 201);
    const enabled = { providers: [{ provider: 'github', display_name: 'github', enabled: true }] };
    assert.deepEqual(JSON.parse(await providers()), enabled);
    const write = await dashboard.call('/api/connections/social', { method: 'POST' });
    assert.deepEqual([write.status, write.headers.get('allow')], [405, 'GET, HEAD']);
  });

  it('encrypts only text, and to a different ciphertext each time', async () => {
    const encrypt = (json: object): Promise<Response> => dashboard.callAsAdmin('/api/encrypt', { json });
    const ciphertext = async (json: object): Promise<string> =>
      ((await (await encrypt(json)).json()) as { encrypted: string }).encrypted;
    assert.match(await ciphertext({ value: 'x', key: 'mail.password' }), /^v1(?:\.[\w-]+){4}$/);
    assert.notEqual(await ciphertext({ value: 'x' }), await ciphertext({ value: 'x' }));
    assert.equal((await encrypt({ value: 1 })).status, 400);
  });

  const get = async <T>(path: string): Promise<T> => (await dashboard.callAsAdmin(path)).json() as T;
  const problems = async (): Promise<string[]> =>
    (await get<Posture>('/api/security/posture')).checks
      .filter(({ status }) => status === 'fail' || status === 'warn')
      .map(({ id }) => id);
  let problemsOfBoth: string[];
  before(async () => {
    problemsOfBoth = await problems();
  });

  for (const [title, upstreams, env, read, unread] of SHAPES)
    it(`with ${title} alone names only it in the page, reports no problem of the other, and reads only the lists that it has`, async () => {
      await dashboard.restart(env);
      const page = await (await dashboard.call('/', { headers: { accept: 'text/html' } })).text();
      assert.ok(page.includes(`<meta name="upstreams" content="${upstreams}" />`), page);
      for (const id of await problems()) assert.ok(problemsOfBoth.includes(id), id);
      const statistics = (): Promise<Statistics> => get('/api/dashboard/statistics');
      await eventually(async () => (await statistics())[read] !== null, true);
      assert.equal((await statistics())[unread], null);
      assert.doesNotMatch(dashboard.logged.join(''), /"level":[456]0.*(?:index|list)/);
    });
});
