import assert from 'node:assert/strict';
import { type ClusterReplicas, describeOnCluster, startClusterReplicas } from '../support/cluster.ts';

describeOnCluster('a replica whose node lags behind', (cluster) => {
  let replicas: ClusterReplicas;
  let session: string;
  beforeEach(async function () {
    this.timeout(60_000);
    replicas = await startClusterReplicas(cluster);
    session = await replicas.dashboard.signIn('admin');
    // From here on its sessions and its health are known to it.
    for (const path of ['/api/auth/session', '/api/health'])
      assert.equal((await replicas.call(1, path, { session })).status, 200);
  });
  afterEach(() => replicas.close());

  const LAYOUT = { widgets: [{ id: 'services', x: 0, y: 0, w: 12, h: 4 }], hidden: [] };
  const VIEW = { id: 'mine', resource: 'identities', name: 'Mine', search: 'q=ada' };

  it('answers with what was written through another one before', async function () {
    this.timeout(30_000);
    const written = async (path: string, method: string, json: object): Promise<boolean> =>
      (await replicas.call(0, path, { session, method, json })).ok;
    const goOn = await cluster.node(1).fallBehind();
    assert.ok(await written('/api/settings', 'POST', { key: 'a', value: 'b' }));
    assert.ok(await written('/api/dashboard/layout', 'PUT', { layout: LAYOUT }));
    assert.ok(await written('/api/dashboard/views', 'PUT', { views: [VIEW] }));

    const read = async (path: string): Promise<string> => (await replicas.call(1, path, { session })).text();
    const reads = Promise.all(
      ['/api/settings/a', '/api/settings', '/api/dashboard/layout', '/api/dashboard/views', '/api/security/audit'].map(
        read,
      ),
    );
    for (const path of ['/api/auth/session', '/api/health'])
      assert.equal((await replicas.call(1, path, { session })).status, 200);
    await goOn();
    const [one = '', list = '', layout = '', views = '', audit = ''] = await reads;
    assert.equal(JSON.parse(one).value, 'b');
    assert.match(list, /"key":"a"/);
    assert.deepEqual(JSON.parse(layout), { layout: LAYOUT });
    assert.deepEqual(JSON.parse(views), { views: [VIEW] });
    assert.match(audit, /"setting_write"/);
  });

  it('answers 503 where that takes too long, and as before when it has caught up', async function () {
    this.timeout(60_000);
    const goOn = await cluster.node(1).fallBehind();
    assert.ok((await replicas.call(0, '/api/settings', { session, json: { key: 'a', value: 'b' } })).ok);
    // Twice, which is long enough for what is read in the background to fail as well, if it waited.
    for (let reads = 0; reads < 2; reads += 1)
      assert.equal((await replicas.call(1, '/api/settings/a', { session })).status, 503);
    assert.doesNotMatch(replicas.logged().join(''), /cannot be read/);
    assert.equal((await replicas.call(1, '/api/auth/session', { session })).status, 200);
    await goOn();
    assert.equal((await replicas.call(1, '/api/settings/a', { session })).status, 200);
  });
});
