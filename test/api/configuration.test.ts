import assert from 'node:assert/strict';
import type { Configuration } from '../../shared/upstreams.ts';
import { startWithAdmin } from '../support/dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';

describe('the service', () => {
  const dashboard = ofSuite(startWithAdmin);

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
});
