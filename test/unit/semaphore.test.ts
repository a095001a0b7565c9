import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { isUnavailable } from '../../server/db/errors.ts';
import { semaphore } from '../../server/db/mysql.ts';

describe('the semaphore', () => {
  afterEach(() => mock.timers.reset());

  /** Work that ends when it is told to. */
  function work() {
    let end = (_error?: Error): void => {};
    let begun = false;
    const act = (): Promise<void> => {
      begun = true;
      return new Promise((resolve, reject) => {
        end = (error) => (error === undefined ? resolve() : reject(error));
      });
    };
    return { act, begun: () => begun, end: (error?: Error) => end(error) };
  }
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('are granted to the given number at once, then in order of arrival, also after a failure', async () => {
    const inTurn = semaphore({ places: 2, waiting: 10, waitMs: 10_000 });
    const all = Array.from({ length: 4 }, work);
    const done = all.map(({ act }) => inTurn(act));
    const begun = async (): Promise<boolean[]> => {
      await settle();
      return all.map((each) => each.begun());
    };
    assert.deepEqual(await begun(), [true, true, false, false]);
    all[1]?.end(new Error('failed'));
    await assert.rejects(done[1] ?? assert.fail(), { message: 'failed' });
    assert.deepEqual(await begun(), [true, true, true, false]);
    all[0]?.end();
    assert.deepEqual(await begun(), [true, true, true, true]);
    all[2]?.end();
    all[3]?.end();
    await Promise.allSettled(done);
  });

  it('are refused when the queue or the wait is too long, and are not granted to callers that have left', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const inTurn = semaphore({ places: 1, waiting: 1, waitMs: 10_000 });
    const [first, second, third] = [work(), work(), work()];
    const running = inTurn(first.act);
    const waiting = inTurn(second.act);
    await assert.rejects(inTurn(third.act), isUnavailable);
    mock.timers.tick(10_000);
    await assert.rejects(waiting, isUnavailable);
    first.end();
    await running;
    assert.deepEqual([second.begun(), third.begun()], [false, false]);
    const last = inTurn(third.act);
    await settle();
    assert.equal(third.begun(), true);
    third.end();
    await last;
  });
});
