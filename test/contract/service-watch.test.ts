import assert from 'node:assert/strict';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { DOWN, SECOND, UP, watchRig } from '../support/watch-rig.ts';

const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

describeOnDatabases('the watch over services', (databases) => {
  const rig = watchRig(databases);

  it('stores how services are at the first look, and then what changes, newest first', async () => {
    assert.deepEqual(await rig.changes().history('oauth'), []);
    const one = rig.replica();
    await one.looked();
    assert.deepEqual(await one.history(), ['up null 0']);
    rig.clock += 30 * SECOND;
    rig.world.oauth = DOWN;
    await one.looked();
    rig.clock += 30 * SECOND;
    rig.world.oauth = ['down', 'slow'];
    await one.looked();
    assert.deepEqual(await one.history(), ['down slow 60', 'down unreachable 30', 'up null 0']);
    assert.equal(await one.since(), 30, 'whatever the problem was since then');
    assert.deepEqual(await one.history('database'), ['up null 0']);
    rig.clock += 30 * SECOND;
    rig.world.oauth = UP;
    await one.looked();
    assert.equal((await one.history())[0], 'up null 90');
    assert.equal(await one.since(), 90);
  });

  it('is done by one of two replicas, and by the other once the first has stopped', async () => {
    const [holder, other] = await rig.two();
    rig.clock += SECOND;
    rig.world.oauth = DOWN;
    other.own.oauth = UP;
    await holder.looked();
    assert.equal(other.looks, 0);
    assert.deepEqual(await other.history(), ['down unreachable 1', 'up null 0']);
    await holder.watch.stop();
    const { looks } = holder;
    other.own = {};
    rig.clock += SECOND;
    rig.world.oauth = UP;
    await other.looked();
    assert.equal(holder.looks, looks);
    assert.deepEqual(await other.history(), ['up null 2', 'down unreachable 1', 'up null 0']);
  });

  it('forgets what is older than seven days, except how they began', async () => {
    const one = rig.replica();
    await one.looked();
    for (const found of [DOWN, UP]) {
      rig.clock += HOUR;
      rig.world.oauth = found;
      await one.looked();
    }
    rig.clock += 7 * DAY + SECOND;
    assert.deepEqual(await one.history(), [`up null ${(2 * HOUR) / SECOND}`]);
    await eventually(async () => (await rig.database.knex('service_changes').where({ service: 'oauth' })).length, 1);
    assert.equal(await one.since(), (2 * HOUR) / SECOND);
  });
});
