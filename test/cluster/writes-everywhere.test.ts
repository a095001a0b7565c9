import assert from 'node:assert/strict';
import { describeOnCluster } from '../support/cluster.ts';
import { callAt, type Dashboard, startDashboard } from '../support/dashboard.ts';
import { CookieJar, signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { type Replica, replicaOf } from '../support/replica.ts';
import { recordsOf } from '../support/vault.ts';

const WRITES = 30;
const SIGN_INS = 6;

describeOnCluster('replicas that use different nodes of a cluster', (cluster) => {
  let dashboard: Dashboard;
  let replicas: Replica[] = [];
  beforeEach(async function () {
    this.timeout(60_000);
    const [first, ...others] = cluster.urls() as [string, ...string[]];
    dashboard = await startDashboard({ env: { DATABASE_URL: first } });
    replicas = [];
    for (const url of others)
      replicas.push(await replicaOf({ ...dashboard, env: { ...dashboard.env, DATABASE_URL: url } }));
  });
  afterEach(async () => {
    for (const replica of replicas) await replica.close();
    await dashboard.close();
  });

  it('accept every act, and record each once', async function () {
    this.timeout(120_000);
    const session = await dashboard.signIn('admin');
    const urls = [dashboard.url, ...replicas.map(({ url }) => url)];

    async function write(url: string, lane: string): Promise<number[]> {
      const statuses: number[] = [];
      for (let index = 0; index < WRITES; index += 1)
        statuses.push(
          (await callAt(url, '/api/settings', { session, json: { key: `${lane}.${index}`, value: 'a' } })).status,
        );
      return statuses;
    }
    async function signInAndOut(url: string): Promise<number[]> {
      const statuses: number[] = [];
      for (let index = 0; index < SIGN_INS; index += 1) {
        const { callback, jar } = await signInUpToCallback(
          url,
          dashboard.baseUrl,
          dashboard.operator('admin'),
          new CookieJar(),
        );
        assert.equal((await visit(callback, jar)).headers.get('location'), '/dashboard');
        const own = jar.get('dashboard-session') ?? '';
        statuses.push((await callAt(url, '/api/auth/logout', { session: own, method: 'POST' })).status);
      }
      return statuses;
    }
    const statuses = await Promise.all([
      ...urls.flatMap((url, node) => [write(url, `${node}.a`), write(url, `${node}.b`)]),
      ...urls.map(signInAndOut),
    ]);
    assert.deepEqual([...new Set(statuses.flat())].sort(), [201, 204]);

    await cluster.assertTrailIsWhole();
    const acts = new Map<string, number>();
    for (const { action } of await recordsOf(cluster.open(0)))
      acts.set(String(action), (acts.get(String(action)) ?? 0) + 1);
    const signIns = SIGN_INS * urls.length;
    const expected = { login: signIns + 1, setting_write: 2 * WRITES * urls.length, logout: signIns };
    assert.deepEqual(Object.fromEntries(acts), expected);
    const lines = [dashboard.logged, ...replicas.map(({ logged }) => logged)]
      .flat()
      .filter((line) => line.includes('"audit":'));
    assert.equal(
      lines.length,
      Object.values(expected).reduce((sum, count) => sum + count),
    );
  });
});
