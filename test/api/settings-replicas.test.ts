import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SettingVersion } from '../../shared/settings.ts';
import { becomes, until } from '../support/becomes.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { echo, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';
import { type Replica, replicaOf } from '../support/replica.ts';
import { SERVICE } from '../support/service-program.ts';
import { severable } from '../support/severable.ts';

const run = promisify(execFile);

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
        // What is remembered would outlast every test.
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
  it('is used by the proxy, whether it was created, replaced, deleted or restored', async () => {
    const other = await started();
    assert.equal(await sentBy(other), undefined);
    await store('first');
    await becomes(() => sentBy(other), 'Bearer first');
    await store('second');
    await becomes(() => sentBy(other), 'Bearer second');
    await write('DELETE', `/api/settings/${KEY}`);
    await becomes(() => sentBy(other), undefined);
    const history = await dashboard.call(`/api/setting-history?key=${KEY}`, { session: admin });
    const { versions } = (await history.json()) as { versions: SettingVersion[] };
    await write('POST', '/api/setting-history/restore', { key: KEY, version: versions.at(-1)?.version });
    await becomes(() => sentBy(other), 'Bearer first');
  });

  it('is used when a command stored it', async () => {
    const other = await started();
    assert.equal(await sentBy(other), undefined);
    const command = run(process.execPath, [...SERVICE, 'settings:set', KEY], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      env: { ...process.env, ...dashboard.env },
    });
    command.child.stdin?.end('from-the-command-line\n');
    assert.match((await command).stdout, /A running service uses it within five seconds\./);
    await becomes(() => sentBy(other), 'Bearer from-the-command-line');
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
      await other.close();
      replica = undefined;
      await way.close();
    });
});
