import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '../../server/log.ts';
import { operatorCheck, type Presence } from '../../server/session/operator-check.ts';

describe('the check whether an operator still exists', () => {
  /** A store whose answers come when the test says so. */
  function checkOn(endSessions: (identityId: string) => Promise<void> = async () => {}) {
    const asked: ((presence: Presence) => void)[] = [];
    const ended: string[] = [];
    const clock = { elapsed: 0 };
    const check = operatorCheck({
      lookUp: () => new Promise((resolve) => asked.push(resolve)),
      endSessions(identityId) {
        ended.push(identityId);
        return endSessions(identityId);
      },
      monotonic: () => clock.elapsed,
      log: createLog({ level: 'silent', production: false }),
    });
    return { check, asked, ended, clock };
  }

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

  it('that is under way when a write happens is not shared by those who ask after it', async () => {
    const { check, asked } = checkOn();
    const before = check.isPresent('ada');
    check.forgetAll();
    const after = check.isPresent('ada');
    assert.equal(asked.length, 2);
    asked[1]?.('gone');
    assert.equal(await after, false);
    asked[0]?.('present');
    await before;
    void check.isPresent('ada');
    assert.equal(asked.length, 3, 'the late answer from before does not count');
  });

  it('that a slow store leaves open across a write is asked again', async function () {
    this.timeout(10_000);
    const { check, asked } = checkOn();
    const before = check.isPresent('ada');
    check.forgetAll();
    assert.equal(await before, true, 'nobody waits longer than a second');
    void check.isPresent('ada');
    assert.equal(asked.length, 2);
  });

  it('keeps out who is gone while that cannot be stored, though the store falls silent, until it is stored', async function () {
    this.timeout(10_000);
    let storable = false;
    const { check, asked, ended, clock } = checkOn(async () => {
      if (!storable) throw new Error('the database is away');
    });
    const first = check.isPresent('ada');
    asked[0]?.('gone');
    assert.equal(await first, false);
    clock.elapsed += 31_000;
    check.forgetAll();
    assert.equal(await check.isPresent('ada'), false);
    assert.equal(asked.length, 1, 'the store is not asked for another opinion');
    storable = true;
    while (ended.length < 2) await sleep(20);
    await sleep(1);
    // From here on the epoch keeps the earlier sessions out.
    void check.isPresent('ada');
    assert.equal(asked.length, 2);
    await check.close();
    assert.deepEqual(ended, ['ada', 'ada']);
  });

  it('keeps out who is gone at once, however long that takes to store', async () => {
    const { check, asked } = checkOn(() => new Promise(() => {}));
    const first = check.isPresent('ada');
    asked[0]?.('gone');
    const soon = sleep(900, 'late' as const);
    assert.equal(await Promise.race([first, soon]), false);
    assert.equal(await check.isPresent('ada'), false);
  });

  it('keeps out who is gone by a late answer, though everybody was let in meanwhile', async function () {
    this.timeout(10_000);
    const { check, asked, ended } = checkOn(() => new Promise(() => {}));
    assert.equal(await check.isPresent('ada'), true, 'nobody waits longer than a second');
    asked[0]?.('gone');
    await sleep(1);
    assert.deepEqual(ended, ['ada']);
    assert.equal(await check.isPresent('ada'), false);
  });

  it('lets in at once who is back and has signed in again', async () => {
    const { check, asked } = checkOn();
    const first = check.isPresent('ada');
    asked[0]?.('gone');
    assert.equal(await first, false);
    await sleep(1);
    const back = check.isPresent('ada');
    asked[1]?.('present');
    assert.equal(await back, true);
  });

  it('that ends tries once more to store who is gone', async () => {
    let attempts = 0;
    const { check, asked, ended } = checkOn(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('the database is away');
    });
    const first = check.isPresent('ada');
    asked[0]?.('gone');
    await first;
    await check.close();
    assert.deepEqual(ended, ['ada', 'ada']);
  });
});
