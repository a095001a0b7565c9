import assert from 'node:assert/strict';
import { DatabaseUnavailable } from '../../server/db/unavailable.ts';
import type { ServiceProblem } from '../../shared/services.ts';
import { becomes, until } from '../support/becomes.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { DOWN, NOW, SECOND, UP, watchRig } from '../support/watch-rig.ts';

const HOUR = 3_600 * SECOND;

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
    await becomes(() => other.looks > 3, true);
    await frozen.watch.stop();
    assert.deepEqual(await other.history(), ['up null 0']);
  });

  it('keeps 500 changes of a service that comes and goes, and since when its status began', async () => {
    const { store, history: read, standings } = rig.changes();
    const always = async (): Promise<boolean> => true;
    const problems: ServiceProblem[] = ['unreachable', 'slow'];
    for (let count = 0; count < 510; count += 1) {
      rig.clock += SECOND;
      const at = new Date(rig.clock).toISOString();
      const problem = problems[count % 2] ?? null;
      await store(new Map([['oauth', { status: 'down', problem, at }]]), always);
    }
    assert.equal((await rig.database.knex('service_changes')).length, 500);
    const changes = await read('oauth');
    assert.equal(changes.length, 500);
    assert.equal(changes[0]?.at, new Date(rig.clock).toISOString());
    assert.equal((await standings()).get('oauth')?.since, new Date(NOW + SECOND).toISOString());
  });

  it('keeps times in order when the clock is set back, and none in the future', async () => {
    const one = rig.replica();
    await one.looked();
    rig.clock += 2 * HOUR;
    rig.world.oauth = DOWN;
    await one.looked();
    rig.clock -= HOUR;
    assert.equal(await one.since(), HOUR / SECOND);
    assert.deepEqual(await one.history(), [`down unreachable ${HOUR / SECOND}`, 'up null 0']);
    rig.world.oauth = UP;
    await one.looked();
    assert.deepEqual(await one.history(), [
      `up null ${HOUR / SECOND}`,
      `down unreachable ${HOUR / SECOND}`,
      'up null 0',
    ]);
    rig.clock -= 2 * HOUR;
    rig.world.oauth = DOWN;
    await one.looked();
    assert.deepEqual(await one.history(), [
      `down unreachable ${-HOUR / SECOND}`,
      `up null ${-HOUR / SECOND}`,
      `down unreachable ${-HOUR / SECOND}`,
      `up null ${-HOUR / SECOND}`,
    ]);
    assert.equal(await one.since(), -HOUR / SECOND);
    rig.clock += 12 * HOUR;
    const times = (await one.changes.history('oauth')).map(({ at }) => at);
    assert.deepEqual(times, times.toSorted().toReversed());
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

  it('logs once that nothing can be stored, and once that it can be again', async () => {
    const one = rig.replica();
    await one.looked();
    let failures = 0;
    one.beforeStoring = async () => {
      failures += 1;
      throw new DatabaseUnavailable('full');
    };
    await until(() => failures > 3);
    one.beforeStoring = async () => {};
    await one.looked();
    await one.looked();
    assert.deepEqual(one.logged, ['warn', 'info']);
  });
});
