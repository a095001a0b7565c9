import assert from 'node:assert/strict';
import type { Configuration } from '../../shared/upstreams.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { echo, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';
import { type Replica, replicaOf } from '../support/replica.ts';

const KEY = 'upstream.identity-admin.api_key';

describeOnDatabases('a setting that is written elsewhere', (databases) => {
  let upstream: RawUpstream;
  let dashboard: Dashboard;
  let replica: Replica | undefined;
  let admin: string;
  let databaseUrl: string;

  beforeEach(async () => {
    databaseUrl = await databases.create();
    upstream = await startRawUpstream(echo);
    dashboard = await startDashboard({
      storeFromSandbox: true,
      env: {
        DATABASE_URL: databaseUrl,
        // What is cached would outlast every test.
        SETTINGS_CACHE_TTL_SECONDS: '3600',
        IDENTITY_ADMIN_URL: upstream.url,
      },
    });
    admin = await dashboard.signIn('admin');
  });
  afterEach(async () => {
    await replica?.close();
    await dashboard.close();
    await upstream.close();
  });

  const write = async (method: 'POST' | 'DELETE', path: string, json?: object): Promise<void> => {
    const response = await dashboard.call(path, { session: admin, method, json });
    assert.ok(response.ok, await response.text());
  };
  const store = (value: string): Promise<void> => write('POST', '/api/settings', { key: KEY, value, encrypted: true });
  /** What the replica sends to the upstream; its status where it sends nothing. */
  async function sentBy({ call }: Replica): Promise<string | number | undefined> {
    upstream.requests.length = 0;
    const { status } = await call('/api/identity-admin/x', { session: admin });
    return upstream.requests.length === 0 ? status : upstream.requests.at(-1)?.header('authorization')[0];
  }

  it('is used no longer by the proxy, the social providers and the configuration once it is replaced or deleted', async () => {
    await store('first');
    for (const [key, value] of [
      ['social.github.client_id', 'id'],
      ['social.github.enabled', 'true'],
    ])
      await write('POST', '/api/settings', { key, value });
    const other = await replicaOf(dashboard);
    replica = other;
    const providers = async (): Promise<string[]> => {
      const response = await other.call('/api/connections/social');
      return ((await response.json()) as { providers: { provider: string }[] }).providers.map(
        ({ provider }) => provider,
      );
    };
    const hasKey = async (): Promise<boolean> => {
      const response = await other.call('/api/config', { session: admin });
      return ((await response.json()) as Configuration).upstreams['identity-admin'].api_key_stored;
    };
    assert.deepEqual([await sentBy(other), await providers(), await hasKey()], ['Bearer first', ['github'], true]);
    await store('second');
    await write('POST', '/api/settings', { key: 'social.github.enabled', value: 'false' });
    await eventually(() => sentBy(other), 'Bearer second');
    await eventually(providers, []);
    await write('DELETE', `/api/settings/${KEY}`);
    await eventually(() => sentBy(other), undefined);
    await eventually(hasKey, false);
  });
});
