import assert from 'node:assert/strict';
import type { ServiceProblem } from '../../shared/services.ts';
import { becomes } from '../support/becomes.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { DOWN, NOW, SECOND, UP, watchRig } from '../support/watch-rig.ts';

const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

describeOnDatabases('the watch over services', (databases) => {
  const rig = watchRig(databases);

  it('knows nothing before the first look', async () => {
    const changes = rig.changes();
    assert.deepEqual(await changes.standings(), new Map());
    assert.deepEqual(await changes.history('oauth'), []);
  });

  it('stores how services stand at the first look, and then what changes, newest first', async () => {
    const one = rig.replica();
    await one.looked();
    assert.deepEqual(await one.history(), ['up null 0']);
    rig.clock += 30 * SECOND;
    rig.world.oauth = DOWN;
    await one.looked();
    rig.clock += 30 * SECOND;
    await one.looked();
    assert.deepEqual(await one.history(), ['down unreachable 30', 'up null 0']);
    assert.deepEqual(await one.history('database'), ['up null 0']);
    rig.clock += 30 * SECOND;
    rig.world.oauth = UP;
    await one.looked();
    assert.deepEqual(await one.history(), ['up null 90', 'down unreachable 30', 'up null 0']);
  });

  it('says since when a service has its status, whatever the problem was meanwhile', async () => {
    const one = rig.replica();
    await one.looked();
    rig.clock += SECOND;
    rig.world.oauth = DOWN;
    await one.looked();
    rig.clock += SECOND;
    rig.world.oauth = ['down', 'slow'];
    await one.looked();
    assert.equal(await one.since(), 1);
    assert.deepEqual(await one.history(), ['down slow 2', 'down unreachable 1', 'up null 0']);
    rig.clock += SECOND;
    rig.world.oauth = UP;
    await one.looked();
    assert.equal(await one.since(), 3);
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
    await becomes(async () => (await rig.database.knex('service_changes').where({ service: 'oauth' })).length, 1);
    assert.equal(await one.since(), (2 * HOUR) / SECOND);
  });
});
