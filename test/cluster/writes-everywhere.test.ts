import assert from 'node:assert/strict';
import { type ClusterReplicas, describeOnCluster, startClusterReplicas } from '../support/cluster.ts';
import { callAt } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { signInUpToCallback, visit } from '../support/http-sign-in.ts';
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

  // Of two transactions that lose to each other for six seconds one is refused with 503: the caller tries again.
  it('accept every act, sooner or later, and record each once', async function () {
    this.timeout(120_000);
    const { dashboard, urls } = replicas;
    const session = await dashboard.signIn('admin');
    const accepted: string[] = [];
    const refused: string[] = [];
    const counts = { login: 1, logout: 0 };

    async function write(url: string, lane: string): Promise<void> {
      for (let index = 0, attempt = 0; index < WRITES; attempt += 1) {
        const key = `${lane}.${index}.${attempt}`;
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
        // One that could not be stored in time is stored later.
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
      (await recordsOf(cluster.open(0))).filter((record) => record['action'] === action).map(({ target }) => target);
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
    await cluster.assertTrailIsWhole();
    const lines = replicas.logged().filter((line) => line.includes('"audit":'));
    assert.equal(lines.length, written.length + counts.login + counts.logout);
  });
});
