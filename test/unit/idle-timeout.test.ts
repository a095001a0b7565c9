import assert from 'node:assert/strict';
import { idleTimeout } from '../../server/upstream/proxy/idle-timeout.ts';

describe('the idle timeout', () => {
  const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  it('runs out once after the whole time of silence', async () => {
    let expired = 0;
    idleTimeout(10, () => {
      expired += 1;
    });
    await wait(60);
    assert.equal(expired, 1);
  });

  it('does not run while it is held, and runs again when touched', async () => {
    let expired = 0;
    const clock = idleTimeout(10, () => {
      expired += 1;
    });
    clock.hold();
    await wait(50);
    assert.equal(expired, 0);
    clock.touch();
    await wait(60);
    assert.equal(expired, 1);
  });

  it('stopped it never runs out, touched or not', async () => {
    const clock = idleTimeout(10, () => assert.fail('expired'));
    clock.stop();
    clock.touch();
    await wait(40);
  });

  it('follows the last instruction', async () => {
    const said: string[] = [];
    const clock = idleTimeout(10, () => said.push('first'));
    clock.onSilence(() => said.push('second'));
    await wait(40);
    assert.deepEqual(said, ['second']);
  });
});
