import assert from 'node:assert/strict';
import { clusterState } from '../../server/db/checks.ts';
import { describeOnCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

describeOnCluster('the posture of a cluster', (cluster) => {
  const deviations = async () => (await clusterState(cluster.open(0)))?.deviations ?? assert.fail();

  const SETTINGS: [name: string, set: string, reset: string][] = [
    ['wsrep_desync', 'wsrep_desync = ON', 'wsrep_desync = OFF'],
    ['pc.ignore_sb', `wsrep_provider_options = 'pc.ignore_sb=true'`, `wsrep_provider_options = 'pc.ignore_sb=false'`],
    ['wsrep_dirty_reads', 'wsrep_dirty_reads = ON', 'wsrep_dirty_reads = OFF'],
    ['innodb_lock_wait_timeout', 'innodb_lock_wait_timeout = 50', 'innodb_lock_wait_timeout = 5'],
    ['wsrep_osu_method', `wsrep_OSU_method = 'RSU'`, `wsrep_OSU_method = 'TOI'`],
  ];
  for (const [name, set, reset] of SETTINGS)
    it(`reports a wrong value of ${name}`, async () => {
      assert.deepEqual(await deviations(), []);
      await cluster.node(0).query(`set global ${set}`);
      try {
        const reported = await deviations();
        assert.equal(reported.length, 1);
        assert.ok(reported[0]?.what.includes(name));
      } finally {
        await cluster.node(0).query(`set global ${reset}`);
      }
    });

  it('reports the number of nodes, and that two nodes are too few', async () => {
    assert.equal((await clusterState(cluster.open(0)))?.nodes, 3);
    cluster.node(2).signal('SIGTERM');
    await cluster.node(2).ended();
    await eventually(async () => (await clusterState(cluster.open(0)))?.nodes, 2);
    assert.match((await deviations())[0]?.what ?? '', /two nodes/);
    await cluster.node(2).start();
    assert.deepEqual(await deviations(), []);
  });
});
