import assert from 'node:assert/strict';
import { createCipher } from '../../server/crypto/cipher.ts';
import { changePoll } from '../../server/db/change-poll.ts';
import { migrate } from '../../server/db/open-database.ts';
import { cachedSettings } from '../../server/settings/cache.ts';
import { auditRecords, ENCRYPTION_KEY, vaultOn } from '../support/audit-trail.ts';
import { describeOnCluster, type TestCluster } from '../support/cluster.ts';
import { silentLog } from '../support/context.ts';
import { startDashboard, startReplica } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type CallOptions, callAt, signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { ofTest } from '../support/of-suite.ts';

/** A dashboard on the first node of a cluster, and a replica of it on each other node. */
async function startReplicas(cluster: TestCluster) {
  const [first, ...others] = cluster.urls();
  const dashboard = await startDashboard({ env: { DATABASE_URL: first } });
  const replicas = await Promise.all(
    others.map((url) => startReplica({ ...dashboard, env: { ...dashboard.env, DATABASE_URL: url } })),
  );
  const urls = [dashboard, ...replicas].map(({ url }) => url);
  return {
    dashboard,
    urls,
    /** All log lines of all replicas. */
    logged: () => [dashboard, ...replicas].flatMap(({ logged }) => logged),
    call: (index: number, path: string, options?: CallOptions) => callAt(urls[index] ?? '', path, options),
    async close() {
      for (const replica of replicas) await replica.close();
      await dashboard.close();
    },
  };
}

describeOnCluster('a replica whose node lags behind', (cluster) => {
  const replicas = ofTest(() => startReplicas(cluster));
  let session: string;
  beforeEach(async () => {
    session = await replicas.dashboard.signIn('admin');
    // These requests fill its caches.
    for (const path of ['/api/auth/session', '/api/health'])
      assert.equal((await replicas.call(1, path, { session })).status, 200);
  });

  const LAYOUT = { widgets: [{ id: 'services', x: 0, y: 0, w: 12, h: 4 }], hidden: [] };
  const VIEW = { id: 'mine', resource: 'identities', name: 'Mine', search: 'q=ada' };

  it('responds with data that was written through another node before the request', async () => {
    const written = async (path: string, method: string, json: object): Promise<boolean> =>
      (await replicas.call(0, path, { session, method, json })).ok;
    const catchUp = await cluster.node(1).fallBehind();
    assert.ok(await written('/api/settings', 'POST', { key: 'a', value: 'b' }));
    assert.ok(await written('/api/dashboard/layout', 'PUT', { layout: LAYOUT }));
    assert.ok(await written('/api/dashboard/views', 'PUT', { views: [VIEW] }));

    const paths = ['settings/a', 'settings', 'dashboard/layout', 'dashboard/views', 'security/audit'];
    const reads = Promise.all(paths.map(async (path) => (await replicas.call(1, `/api/${path}`, { session })).text()));
    for (const path of ['/api/auth/session', '/api/health'])
      assert.equal((await replicas.call(1, path, { session })).status, 200);
    await catchUp();
    const [setting = '', list = '', layout = '', views = '', audit = ''] = await reads;
    assert.equal(JSON.parse(setting).value, 'b');
    assert.match(list, /"key":"a"/);
    assert.deepEqual(JSON.parse(layout), { layout: LAYOUT });
    assert.deepEqual(JSON.parse(views), { views: [VIEW], favourites: [] });
    assert.match(audit, /"setting_write"/);
  });

  it('responds 503 if its node lags for too long, and still serves sessions from memory', async () => {
    const catchUp = await cluster.node(1).fallBehind();
    assert.ok((await replicas.call(0, '/api/settings', { session, json: { key: 'a', value: 'b' } })).ok);
    // With the second read, those in the background would also have failed if they waited for the node.
    for (let reads = 0; reads < 2; reads += 1)
      assert.equal((await replicas.call(1, '/api/settings/a', { session })).status, 503);
    assert.doesNotMatch(replicas.logged().join(''), /cannot be read/);
    assert.equal((await replicas.call(1, '/api/auth/session', { session })).status, 200);
    await catchUp();
    assert.equal((await replicas.call(1, '/api/settings/a', { session })).status, 200);
  });
});

const KEY = 'upstream.identity-admin.api_key';

describeOnCluster('a setting that is changed through one node of a cluster', (cluster) => {
  let polls: ReturnType<typeof changePoll>[] = [];
  afterEach(() => {
    for (const poll of polls) poll.close();
    polls = [];
  });

  it('is used by the replicas on all nodes as soon as the new version has reached them', async () => {
    for (const index of cluster.urls().keys()) await migrate(cluster.open(index), silentLog);
    const replicas = cluster.urls().map((_, index) => {
      const database = cluster.open(index);
      const cipher = createCipher({ current: ENCRYPTION_KEY });
      const settings = cachedSettings({ database, cipher, ttlSeconds: 3_600, monotonic: () => 0 });
      const { follow } = settings;
      polls.push(changePoll({ database, log: silentLog, pollMs: 5, settings: follow, revocations: async () => {} }));
      return { settings, ...vaultOn(database) };
    });
    for (const poll of polls) await poll.start();
    const used = () => Promise.all(replicas.map(async ({ settings }) => (await settings.get(KEY))?.value));
    for (let round = 0; round < 20; round += 1) {
      const value = `key ${round}`;
      await replicas[round % replicas.length]?.vault.put({ key: KEY, value }, 'ada');
      await eventually(
        used,
        replicas.map(() => value),
      );
    }
  });
});

const WRITES = 30;
const SIGN_INS = 6;

describeOnCluster('replicas on different nodes of a cluster', (cluster) => {
  const replicas = ofTest(() => startReplicas(cluster));

  // A transaction that loses to others for six seconds is refused with 503, and its caller retries.
  it('accept every act, some of them after retries, and record each once', async () => {
    const { dashboard, urls } = replicas;
    const session = await dashboard.signIn('admin');
    const accepted: string[] = [];
    const refused: string[] = [];
    const counts = { login: 1, logout: 0 };

    async function write(url: string, writer: string): Promise<void> {
      for (let index = 0, attempt = 0; index < WRITES; attempt += 1) {
        const key = `${writer}.${index}.${attempt}`;
        const { status } = await callAt(url, '/api/settings', { session, json: { key, value: 'a' } });
        if (status === 201) index += 1;
        else assert.equal(status, 503);
        (status === 201 ? accepted : refused).push(key);
      }
    }
    async function signInAndOut(url: string): Promise<void> {
      for (let index = 0; index < SIGN_INS; index += 1) {
        const { callback, jar } = await signInUpToCallback(url, dashboard.baseUrl, dashboard.operator('admin'));
        await visit(callback, jar);
        const own = jar.get('dashboard-session');
        if (own === undefined) continue;
        counts.login += 1;
        const { status } = await callAt(url, '/api/auth/logout', { session: own, method: 'POST' });
        assert.ok([204, 503].includes(status), `${status}`);
        // A sign-out that gets 503 is stored later.
        counts.logout += 1;
      }
    }
    await Promise.all([
      ...urls.flatMap((url, node) => [write(url, `${node}.a`), write(url, `${node}.b`)]),
      ...urls.map(signInAndOut),
    ]);
    assert.ok(accepted.length === 2 * WRITES * urls.length && counts.login > 1);

    await cluster.node(0).synced();
    const recorded = async (action: string): Promise<unknown[]> =>
      (await auditRecords(cluster.open(0))).filter((record) => record['action'] === action).map(({ target }) => target);
    await eventually(async () => (await recorded('logout')).length, counts.logout);
    assert.equal((await recorded('login')).length, counts.login);
    const written = await recorded('setting_write');
    assert.equal(new Set(written).size, written.length);
    assert.deepEqual(
      accepted.filter((key) => !written.includes(key)),
      [],
    );
    assert.deepEqual(
      written.filter((key) => ![...accepted, ...refused].includes(String(key))),
      [],
    );
    await cluster.assertTrailIsIntact();
    const lines = replicas.logged().filter((line) => line.includes('"audit":'));
    assert.equal(lines.length, written.length + counts.login + counts.logout);
  });
});
