import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as afterPromises } from 'node:timers/promises';
import { createLog } from '../../server/log.ts';
import { operatorCheck, type Presence } from '../../server/session/operator-check.ts';
import { silentLog } from '../support/context.ts';

describe('the check whether an operator still exists', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  /** A store whose answers come when the test says so. */
  function checkOn(endSessions: (identityId: string) => Promise<void> = async () => {}) {
    const asked: ((presence: Presence) => void)[] = [];
    const ended: string[] = [];
    const lines: string[] = [];
    const clock = { now: 0 };
    const check = operatorCheck({
      lookUp: () => new Promise((resolve) => asked.push(resolve)),
      endSessions(identityId) {
        ended.push(identityId);
        return endSessions(identityId);
      },
      monotonic: () => clock.now,
      log: createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) }),
    });
    return { check, asked, ended, clock, lines };
  }

  it('is remembered for half a minute, and then asked again', async () => {
    const { check, asked, ended, clock, lines } = checkOn();
    const first = check.isPresent('ada');
    asked[0]?.('present');
    assert.equal(await first, true);
    const other = check.isPresent('bob');
    asked[1]?.('present');
    await other;
    clock.now = 29_999;
    assert.equal(await check.isPresent('ada'), true);
    assert.equal(asked.length, 2);
    clock.now = 30_000;
    const again = check.isPresent('ada');
    assert.equal(asked.length, 3);
    asked[2]?.('gone');
    assert.equal(await again, false);
    assert.deepEqual(ended, ['ada']);
    assert.deepEqual(lines, []);
  });

  it('is asked once for all who wait for it', async () => {
    const { check, asked } = checkOn();
    const waiting = [check.isPresent('ada'), check.isPresent('ada'), check.isPresent('bob')];
    assert.equal(asked.length, 2);
    asked[0]?.('gone');
    asked[1]?.('present');
    assert.deepEqual(await Promise.all(waiting), [false, false, true]);
  });

  it('locks nobody out when the store fails or gives no answer, and logs that', async () => {
    const { check, asked, ended, lines } = checkOn();
    const present = check.isPresent('ada');
    asked[0]?.('unknown');
    assert.equal(await present, true);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /sessions stay valid/);
    assert.equal(await check.isPresent('ada'), true);
    assert.equal(asked.length, 1);
    assert.deepEqual(ended, []);
    const failing = { monotonic: () => 0, log: silentLog, endSessions: () => Promise.reject(new Error('away')) };
    const lookUp = () => Promise.reject(new Error('away'));
    assert.equal(await operatorCheck({ ...failing, lookUp }).isPresent('ada'), true);
    // That the end of the sessions could not be stored makes nobody present.
    assert.equal(await operatorCheck({ ...failing, lookUp: async () => 'gone' }).isPresent('ada'), false);
    const storeless = operatorCheck({ ...failing, lookUp: undefined }).isPresent('ada');
    assert.equal(await Promise.race([storeless, afterPromises('waiting')]), true);
  });

  it('that was asked before a write and answered after it is not remembered', async () => {
    const { check, asked, ended } = checkOn();
    const before = check.isPresent('ada');
    check.forgetAll();
    asked[0]?.('present');
    assert.equal(await before, true);
    const after = check.isPresent('ada');
    assert.equal(asked.length, 2, 'the store is asked again');
    asked[1]?.('gone');
    assert.equal(await after, false);
    assert.deepEqual(ended, ['ada']);
  });

  it('keeps a removed operator out while that cannot be stored, even if the store falls silent, until it is stored', async () => {
    let storable = false;
    const { check, asked, ended, clock } = checkOn(async () => {
      if (!storable) throw new Error('the database is away');
    });
    const first = check.isPresent('ada');
    asked[0]?.('gone');
    assert.equal(await first, false);
    clock.now += 31_000;
    check.forgetAll();
    assert.equal(await check.isPresent('ada'), false);
    assert.equal(asked.length, 1, 'the store is not asked for another opinion');
    storable = true;
    await afterPromises();
    mock.timers.tick(1_000);
    await afterPromises();
    // From here on the epoch keeps the earlier sessions out.
    void check.isPresent('ada');
    assert.equal(asked.length, 2);
    await check.close();
    assert.deepEqual(ended, ['ada', 'ada']);
  });

  it('keeps an operator out whose removal is answered late, although they were let in by then', async () => {
    const { check, asked, ended } = checkOn(() => new Promise(() => {}));
    const waiting = check.isPresent('ada');
    mock.timers.tick(1_000);
    assert.equal(await waiting, true, 'nobody waits longer than a second');
    asked[0]?.('gone');
    await afterPromises();
    assert.deepEqual(ended, ['ada']);
    assert.equal(await check.isPresent('ada'), false);
  });
});
