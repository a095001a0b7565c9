import assert from 'node:assert/strict';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { DOWN, SECOND, UP, watchRig } from '../support/watch-rig.ts';

describeOnDatabases('the watch over services, disturbed', (databases) => {
  const rig = watchRig(databases);

  it('stores nothing that a replica found before it froze', async () => {
    const frozen = rig.replica();
    await frozen.looked();
    let thaw = (): void => {};
    const atStoring = new Promise<void>((reached) => {
      frozen.beforeStoring = () => {
        reached();
        frozen.beforeStoring = async () => {};
        return new Promise<void>((resolve) => {
          thaw = resolve;
        });
      };
    });
    rig.world.oauth = DOWN;
    await atStoring;
    await rig.database.knex('leases').update({ expires_at: 1 });
    rig.clock += SECOND;
    rig.world.oauth = UP;
    const other = rig.replica();
    await other.looked();
    thaw();
    await eventually(() => other.looks > 3, true);
    await frozen.watch.stop();
    assert.deepEqual(await other.history(), ['up null 0']);
  });

  it('reports a database that was away once it is back, as one replica saw it, and not again as others did', async () => {
    const [holder, other] = await rig.two();
    rig.clock += SECOND;
    await holder.cutOff();
    await other.cutOff();
    rig.world.oauth = DOWN;
    const { looks } = holder;
    rig.clock += 60 * SECOND;
    await holder.pinged();
    assert.equal(holder.looks, looks);
    assert.deepEqual(await other.history(), ['up null 0']);
    rig.world.database = ['up', 'slow'];
    holder.isCutOff = false;
    await holder.looked();
    const seen = ['up slow 61 one replica', 'down unreachable 1 one replica', 'up null 0'];
    assert.deepEqual(await other.history('database'), seen);
    assert.equal(await other.since('database'), 61);
    assert.deepEqual(await other.history(), ['down unreachable 61', 'up null 0']);
    other.isCutOff = false;
    await other.pinged();
    assert.deepEqual(await other.history('database'), seen);
  });
});
