import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { loginStateReplay } from '../../server/features/auth/login-state.ts';
import { LOGIN_SECONDS } from '../../server/session/session-cookie.ts';
import { silentLog } from '../support/context.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';

describeOnDatabases('used login states', (databases) => {
  async function start() {
    const { database } = await databases.createMigrated();
    const transactions = { count: 0 };
    const transaction: Database['transaction'] = (work) => {
      transactions.count += 1;
      return database.transaction(work);
    };
    const clock = { wall: Date.UTC(2026, 0, 1), elapsed: 0 };
    const states = loginStateReplay({
      database: { ...database, transaction },
      log: silentLog,
      now: () => clock.wall,
      monotonic: () => clock.elapsed,
    });
    const stored = async (): Promise<number> => (await database.knex('used_login_states').select('state')).length;
    return { states, clock, transactions, stored };
  }

  it('stay in memory for the maximum duration of a sign-in, up to ten thousand of them', async () => {
    const { states, clock } = await start();
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

  it('of many sign-ins that fail at the same time are stored together, each only once', async () => {
    const { states, transactions, stored } = await start();
    const failing = Array.from({ length: 200 }, (_, index) => states.spend(`state ${index % 150}`));
    await Promise.all(failing);
    // Sign-ins wait only briefly until their states are stored.
    await eventually(stored, 150);
    assert.ok(transactions.count <= 2, `${transactions.count} transactions`);
    assert.equal(await states.isMarked('state 149'), true);
    assert.equal(await states.isMarked('State 149'), false);
  });

  it('are deleted once their sign-ins have expired', async () => {
    const { states, clock, stored } = await start();
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
    await eventually(stored, 1);
    assert.equal(await states.isMarked('in time'), true);
  });
});

describe('the login state of a failed sign-in', () => {
  it('does not delay the response while the database does not respond', async () => {
    const silent = { statement: () => ({}), transaction: () => new Promise(() => {}) } as unknown as Database;
    await loginStateReplay({ database: silent, log: silentLog, now: () => 0, monotonic: () => 0 }).spend('state');
  });
});
