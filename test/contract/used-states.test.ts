import assert from 'node:assert/strict';
import { usedStates } from '../../server/features/auth/used-states.ts';
import { createLog } from '../../server/log.ts';
import { LOGIN_SECONDS } from '../../server/session/session-cookie.ts';
import { countedDatabase } from '../support/counted-database.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases('used login states', (databases) => {
  async function statesOf() {
    const { database } = await databases.migrated();
    const counted = countedDatabase(database);
    const clock = { wall: Date.UTC(2026, 0, 1), elapsed: 0 };
    const states = usedStates({
      database: counted,
      log: createLog({ level: 'silent', production: false }),
      now: () => clock.wall,
      monotonic: () => clock.elapsed,
    });
    const stored = async (): Promise<number> => (await database.knex('used_login_states').select('state')).length;
    return { states, clock, counted, stored };
  }

  it('are remembered for as long as a sign-in may take, and ten thousand of them at most', async () => {
    const { states, clock } = await statesOf();
    states.take('first');
    for (let index = 0; index < 9_999; index += 1) states.take(`state ${index}`);
    assert.equal(states.has('first'), true);
    states.take('one more');
    assert.equal(states.has('first'), false);
    assert.equal(states.has('state 0'), true);
    clock.elapsed += LOGIN_SECONDS * 1000 - 1;
    assert.equal(states.has('one more'), true);
    clock.elapsed += 1;
    assert.equal(states.has('one more'), false);
  });

  it('of many sign-ins that fail at once are stored together, each once', async () => {
    const { states, counted, stored } = await statesOf();
    const before = counted.asked();
    const failing = Array.from({ length: 200 }, (_, index) => states.spend(`state ${index % 150}`));
    await Promise.all(failing);
    assert.equal(await stored(), 150);
    // Two writes, each with its begin and commit where these count.
    assert.ok(counted.asked() - before <= 10, `${counted.asked() - before} questions`);
    assert.equal(await states.isMarked('state 149'), true);
    assert.equal(await states.isMarked('State 149'), false);
  });

  it('are removed when nobody could use them any more', async () => {
    const { states, clock, stored } = await statesOf();
    states.take('old');
    await states.spend('old');
    clock.wall += 2 * LOGIN_SECONDS * 1000 - 1000;
    clock.elapsed += LOGIN_SECONDS * 1000;
    states.take('in time');
    await states.spend('in time');
    assert.equal(await stored(), 2);
    clock.wall += 3_000;
    clock.elapsed += LOGIN_SECONDS * 1000;
    states.take('late');
    while ((await stored()) > 1) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(await states.isMarked('in time'), true);
  });
});
