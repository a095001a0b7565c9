import assert from 'node:assert/strict';
import { createLog } from '../../server/log.ts';
import { operatorCheck, type Presence } from '../../server/session/operator-check.ts';

describe('the check whether an operator still exists', () => {
  /** A store whose answers come when the test says so. */
  function checkOn() {
    const asked: ((presence: Presence) => void)[] = [];
    const ended: string[] = [];
    const check = operatorCheck({
      lookUp: () => new Promise((resolve) => asked.push(resolve)),
      endSessions: async (identityId) => void ended.push(identityId),
      monotonic: () => 0,
      log: createLog({ level: 'silent', production: false }),
    });
    return { check, asked, ended };
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
    assert.equal(await check.isPresent('ada'), false);
    assert.equal(asked.length, 2, 'and this answer is remembered');
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
    assert.equal(await check.isPresent('ada'), false, 'the late answer from before does not count');
    assert.equal(asked.length, 2);
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
});
