import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Configuration } from '../../shared/configuration.ts';
import { becomes, until } from '../support/becomes.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { SERVICE } from '../support/processes.ts';
import { echo, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';
import { type Replica, replicaOf } from '../support/replica.ts';
import { severable } from '../support/severable.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

const KEY = 'upstream.identity-admin.api_key';
const FRESH_KEY = 'a-fresh-encryption-key-0123456789-abcdefghijkl';

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
    replica = undefined;
    await dashboard.close();
    await upstream.close();
  });

  const started = async (env: NodeJS.ProcessEnv = {}): Promise<Replica> => {
    replica = await replicaOf({ ...dashboard, env: { ...dashboard.env, ...env } });
    return replica;
  };
  const write = async (method: 'POST' | 'DELETE', path: string, json?: object): Promise<void> => {
    const answer = await dashboard.call(path, { session: admin, method, json });
    assert.ok(answer.ok, await answer.text());
  };
  const store = (value: string): Promise<void> => write('POST', '/api/settings', { key: KEY, value, encrypted: true });
  /** What the replica sends to the upstream; its status where it sends nothing. */
  async function sentBy({ call }: Replica): Promise<string | number | undefined> {
    upstream.requests.length = 0;
    const { status } = await call('/api/identity-admin/x', { session: admin });
    return upstream.requests.length === 0 ? status : upstream.requests.at(-1)?.header('authorization')[0];
  }
  /** One of the commands, in a process of its own. */
  async function command(args: string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<string> {
    const running = run(process.execPath, [...SERVICE, ...args], {
      cwd: root,
      env: { ...process.env, ...dashboard.env, ...env },
    });
    running.child.stdin?.end(input);
    return (await running).stdout;
  }

  it('is used no longer by the proxy, the social providers and the configuration once it is replaced or deleted', async () => {
    await store('first');
    for (const [key, value] of [
      ['social.github.client_id', 'id'],
      ['social.github.enabled', 'true'],
    ])
      await write('POST', '/api/settings', { key, value });
    const other = await started();
    const providers = async (): Promise<string[]> => {
      const answer = await other.call('/api/connections/social');
      return ((await answer.json()) as { providers: { provider: string }[] }).providers.map(({ provider }) => provider);
    };
    const hasKey = async (): Promise<boolean> => {
      const answer = await other.call('/api/config', { session: admin });
      return ((await answer.json()) as Configuration).upstreams['identity-admin'].api_key_stored;
    };
    assert.deepEqual([await sentBy(other), await providers(), await hasKey()], ['Bearer first', ['github'], true]);
    await store('second');
    await write('POST', '/api/settings', { key: 'social.github.enabled', value: 'false' });
    await becomes(() => sentBy(other), 'Bearer second');
    await becomes(providers, []);
    await write('DELETE', `/api/settings/${KEY}`);
    await becomes(() => sentBy(other), undefined);
    await becomes(hasKey, false);
  });

  it('is used when a command stored it, or made it readable by encrypting it with the current key', async () => {
    const other = await started();
    assert.equal(await sentBy(other), undefined);
    const said = await command(['settings:set', KEY], 'from-the-command-line\n');
    assert.match(said, /A running service uses it within five seconds\./);
    await becomes(() => sentBy(other), 'Bearer from-the-command-line');
    await other.close();
    const withoutOldKey = await started({ ENCRYPTION_KEY: FRESH_KEY });
    assert.equal(await sentBy(withoutOldKey), 500);
    const { ENCRYPTION_KEY } = dashboard.env;
    await command(['settings:rekey'], '', { ENCRYPTION_KEY: FRESH_KEY, ENCRYPTION_KEY_PREVIOUS: ENCRYPTION_KEY });
    await becomes(() => sentBy(withoutOldKey), 'Bearer from-the-command-line');
  });

  if (databases.client === 'mysql')
    it('is used after an outage of the database, in which the last known value stays in use', async () => {
      const way = await severable(databaseUrl);
      const other = await started({ DATABASE_URL: way.url });
      await store('first');
      await becomes(() => sentBy(other), 'Bearer first');
      await way.sever();
      await store('second');
      await until(() => other.logged.some((line) => line.includes('changes by other processes cannot be read')));
      assert.equal(await sentBy(other), 'Bearer first');
      await way.restore();
      await becomes(() => sentBy(other), 'Bearer second');
      await way.close();
    });
});
