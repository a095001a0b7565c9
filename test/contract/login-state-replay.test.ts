import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { LoginStateReplayed, loginStateReplay } from '../../server/features/auth/login-state-replay.ts';
import { createLog } from '../../server/log/log.ts';
import { LOGIN_SECONDS } from '../../server/session/session-cookie.ts';
import { becomes, until } from '../support/becomes.ts';
import { countedDatabase, rowsLost } from '../support/counted-database.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { silentLog } from '../support/silent-log.ts';

describeOnDatabases('used login states', (databases) => {
  async function statesOf() {
    const { database } = await databases.migrated();
    const counted = countedDatabase(database);
    const clock = { wall: Date.UTC(2026, 0, 1), elapsed: 0 };
    const warnings: string[] = [];
    const write = (line: string): void => void warnings.push(JSON.parse(line).msg);
    const states = loginStateReplay({
      database: counted,
      log: createLog({ level: 'warn', production: false }, { write }),
      now: () => clock.wall,
      monotonic: () => clock.elapsed,
    });
    const stored = async (): Promise<number> => (await database.knex('used_login_states').select('state')).length;
    /** A sign-in waits for its state to be stored, but only briefly. */
    const storedIs = async (count: number): Promise<void> => {
      await becomes(stored, count);
    };
    return { states, clock, counted, stored, storedIs, warnings };
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
    const { states, counted, storedIs } = await statesOf();
    const before = counted.asked();
    const failing = Array.from({ length: 200 }, (_, index) => states.spend(`state ${index % 150}`));
    await Promise.all(failing);
    // Two writes, plus begin and commit where those are counted.
    const asked = counted.asked() - before;
    assert.ok(asked <= 10, `${asked} questions`);
    await storedIs(150);
    assert.equal(await states.isMarked('state 149'), true);
    assert.equal(await states.isMarked('State 149'), false);
  });

  it('wait to be stored up to a thousand of them, and the log hears of the others', async () => {
    const { states, storedIs, warnings } = await statesOf();
    await Promise.all(Array.from({ length: 1_003 }, (_, index) => states.spend(`state ${index}`)));
    await storedIs(1_000);
    assert.deepEqual(warnings, Array(3).fill('a used login state could not be stored'));
  });

  it('fail as used where another process was first, and as what it is on anything else', async () => {
    const { states, counted } = await statesOf();
    const mark = () => counted.transaction((trx) => states.mark('state', trx));
    await mark();
    await assert.rejects(mark, LoginStateReplayed);
    await counted.knex.schema.dropTable('used_login_states');
    await assert.rejects(mark, (error) => error instanceof Error && !(error instanceof LoginStateReplayed));
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
    await becomes(stored, 1);
    assert.equal(await states.isMarked('in time'), true);
  });

  it('are removed a few hundred at a time, however many there are', async () => {
    const { states, counted, stored } = await statesOf();
    const many = Array.from({ length: 1_200 }, (_, index) => ({ state: `old ${index}`, expires_at: 0 }));
    await counted.knex.batchInsert('used_login_states', many, 500);
    const { watched, lost } = rowsLost(counted, 'used_login_states');
    counted.transaction = watched.transaction;
    states.take('any');
    await until(async () => (await stored()) === 0);
    await becomes(() => lost, [500, 500, 200]);
  });
});

describe('a login state of a sign-in that came to nothing', () => {
  it('does not hold up its answer where the database says nothing', async () => {
    const silent = { statement: () => ({}), transaction: () => new Promise(() => {}) } as unknown as Database;
    await loginStateReplay({ database: silent, log: silentLog, now: () => 0, monotonic: () => 0 }).spend('state');
  });
});
