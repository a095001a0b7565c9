import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as afterPromises } from 'node:timers/promises';
import { createLog } from '../../server/log.ts';
import { operatorCheck, type Presence } from '../../server/session/operator-check.ts';
import { silentLog } from '../support/context.ts';

describe('the check that an operator still exists', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  /** A check with a store whose responses the test sends. */
  function checkOn(endSessions: (identityId: string) => Promise<void> = async () => {}) {
    const lookUps: ((presence: Presence) => void)[] = [];
    const ended: string[] = [];
    const lines: string[] = [];
    const clock = { now: 0 };
    const check = operatorCheck({
      lookUp: () => new Promise((resolve) => lookUps.push(resolve)),
      endSessions(identityId) {
        ended.push(identityId);
        return endSessions(identityId);
      },
      monotonic: () => clock.now,
      log: createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) }),
    });
    return { check, lookUps, ended, clock, lines };
  }

  it('caches a result for half a minute', async () => {
    const { check, lookUps, ended, clock, lines } = checkOn();
    const first = check.isPresent('ada');
    lookUps[0]?.('present');
    assert.equal(await first, true);
    const other = check.isPresent('bob');
    lookUps[1]?.('present');
    await other;
    clock.now = 29_999;
    assert.equal(await check.isPresent('ada'), true);
    assert.equal(lookUps.length, 2);
    clock.now = 30_000;
    const again = check.isPresent('ada');
    assert.equal(lookUps.length, 3);
    lookUps[2]?.('gone');
    assert.equal(await again, false);
    assert.deepEqual(ended, ['ada']);
    assert.deepEqual(lines, []);
  });

  it('looks an operator up once for all concurrent requests', async () => {
    const { check, lookUps } = checkOn();
    const waiting = [check.isPresent('ada'), check.isPresent('ada'), check.isPresent('bob')];
    assert.equal(lookUps.length, 2);
    lookUps[0]?.('gone');
    lookUps[1]?.('present');
    assert.deepEqual(await Promise.all(waiting), [false, false, true]);
  });

  it('accepts the operator and logs a warning while the store fails or does not respond', async () => {
    const { check, lookUps, ended, lines } = checkOn();
    const present = check.isPresent('ada');
    lookUps[0]?.('unknown');
    assert.equal(await present, true);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /sessions stay valid/);
    assert.equal(await check.isPresent('ada'), true);
    assert.equal(lookUps.length, 1);
    assert.deepEqual(ended, []);
    const failing = { monotonic: () => 0, log: silentLog, endSessions: () => Promise.reject(new Error('unavailable')) };
    const lookUp = () => Promise.reject(new Error('unavailable'));
    assert.equal(await operatorCheck({ ...failing, lookUp }).isPresent('ada'), true);
    // A removed operator is refused even if the end of their sessions cannot be stored.
    assert.equal(await operatorCheck({ ...failing, lookUp: async () => 'gone' }).isPresent('ada'), false);
    const storeless = operatorCheck({ ...failing, lookUp: undefined }).isPresent('ada');
    assert.equal(await Promise.race([storeless, afterPromises('waiting')]), true);
  });

  it('does not cache a result that was requested before a write and arrives after it', async () => {
    const { check, lookUps, ended } = checkOn();
    const before = check.isPresent('ada');
    check.forgetAll();
    lookUps[0]?.('present');
    assert.equal(await before, true);
    const after = check.isPresent('ada');
    assert.equal(lookUps.length, 2, 'the store is queried again');
    lookUps[1]?.('gone');
    assert.equal(await after, false);
    assert.deepEqual(ended, ['ada']);
  });

  it('refuses a removed operator without another look-up until the end of their sessions is stored', async () => {
    let storable = false;
    const { check, lookUps, ended, clock } = checkOn(async () => {
      if (!storable) throw new Error('the database is unavailable');
    });
    const first = check.isPresent('ada');
    lookUps[0]?.('gone');
    assert.equal(await first, false);
    clock.now += 31_000;
    check.forgetAll();
    assert.equal(await check.isPresent('ada'), false);
    assert.equal(lookUps.length, 1, 'the store is not queried again');
    storable = true;
    await afterPromises();
    mock.timers.tick(1_000);
    await afterPromises();
    // Once their end is stored, the session epoch rejects the earlier sessions.
    void check.isPresent('ada');
    assert.equal(lookUps.length, 2);
    await check.close();
    assert.deepEqual(ended, ['ada', 'ada']);
  });

  it('refuses an operator whose removal the store reports late, although their first request was accepted', async () => {
    const { check, lookUps, ended } = checkOn(() => new Promise(() => {}));
    const waiting = check.isPresent('ada');
    mock.timers.tick(1_000);
    assert.equal(await waiting, true, 'no request waits longer than a second');
    lookUps[0]?.('gone');
    await afterPromises();
    assert.deepEqual(ended, ['ada']);
    assert.equal(await check.isPresent('ada'), false);
  });
});
