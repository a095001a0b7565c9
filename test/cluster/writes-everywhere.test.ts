import assert from 'node:assert/strict';
import { describeOnCluster } from '../support/cluster.ts';
import { type ClusterReplicas, startClusterReplicas } from '../support/cluster-replicas.ts';
import { callAt } from '../support/dashboard.ts';
import { CookieJar, signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { recordsOf } from '../support/vault.ts';

const WRITES = 30;
const SIGN_INS = 6;

describeOnCluster('replicas that use different nodes of a cluster', (cluster) => {
  let replicas: ClusterReplicas;
  beforeEach(async function () {
    this.timeout(60_000);
    replicas = await startClusterReplicas(cluster);
  });
  afterEach(() => replicas.close());

  it('accept every act, and record each once', async function () {
    this.timeout(120_000);
    const { dashboard, urls } = replicas;
    const session = await dashboard.signIn('admin');

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
    const lines = replicas.logged().filter((line) => line.includes('"audit":'));
    assert.equal(
      lines.length,
      Object.values(expected).reduce((sum, count) => sum + count),
    );
  });
});
