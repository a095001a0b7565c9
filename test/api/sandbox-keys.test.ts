import assert from 'node:assert/strict';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

describe('admin ports of the sandbox that require a key', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async () => {
    dashboard = await startDashboard({
      sandbox: { apiKeys: { identityAdmin: 'key-of-the-store', oauthAdmin: 'key-of-the-clients' } },
      // Without this key nobody could sign in to store the others.
      env: { AUTH_IDENTITY_ADMIN_KEY: 'key-of-the-store' },
    });
    session = await dashboard.signIn('admin');
  });
  after(() => dashboard.close());

  const rows: [string, string, string][] = [
    ['upstream.identity-admin.api_key', '/api/identity-admin/admin/identities', 'key-of-the-store'],
    ['upstream.oauth-admin.api_key', '/api/oauth-admin/admin/clients', 'key-of-the-clients'],
  ];
  for (const [key, path, value] of rows)
    it(`open to ${path} once ${key} is stored, and to no other key`, async () => {
      const ask = () => dashboard.call(path, { session });
      const store = (secret: string) => dashboard.call('/api/settings', { session, json: { key, value: secret } });
      const refused = await ask();
      assert.equal(refused.status, 401);
      assert.equal(((await refused.json()) as { error: string }).error, 'upstream_error');
      await store('another-key');
      assert.equal((await ask()).status, 401);
      await store(value);
      assert.equal((await ask()).status, 200);
    });

  it('list identities with the stored key', async () => {
    assert.equal((await dashboard.call('/api/identities', { session })).status, 200);
  });
});
