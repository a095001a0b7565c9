import assert from 'node:assert/strict';
import { RequestError } from '../../client/api/request-error.ts';
import { runBulk } from '../../client/resource/bulk/bulk-runner.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const answer = (status: number, retryAfter?: number): RequestError =>
  new RequestError({ status, code: 'upstream_error', message: `status ${status}`, retryAfter });
const noWait = async (): Promise<void> => {};

describe('the bulk runner', () => {
  it('has at most four under way', async () => {
    let underWay = 0;
    let most = 0;
    await runBulk({
      items: numbers(30),
      act: async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        return undefined;
      },
    });
    assert.equal(most, 4);
  });

  for (const status of [429, 504]) {
    it(`waits and tries again after ${status}`, async () => {
      const waits: number[] = [];
      let tried = 0;
      const results = await runBulk({
        items: ['a'],
        act: async () => {
          tried += 1;
          if (tried < 3) throw answer(status);
          return undefined;
        },
        wait: async (milliseconds) => void waits.push(milliseconds),
      });
      assert.deepEqual(results, [{ item: 'a', outcome: 'done' }]);
      assert.deepEqual(waits, [1_000, 2_000]);
    });
  }

  it('waits and tries again after a connection that broke in the middle of an answer', async () => {
    const broken = [new RequestError({ status: 500, code: 'proxy_error', message: 'broken' })];
    const results = await runBulk({
      items: ['a'],
      act: async () => {
        const error = broken.pop();
        if (error !== undefined) throw error;
        return undefined;
      },
      wait: noWait,
    });
    assert.deepEqual(results, [{ item: 'a', outcome: 'done' }]);
  });

  it('waits as long as Retry-After asks, within bounds', async () => {
    const waits: number[] = [];
    const asked = [7, 3_600];
    await runBulk({
      items: ['a'],
      act: async () => {
        const retryAfter = asked.shift();
        if (retryAfter !== undefined) throw answer(429, retryAfter);
        return undefined;
      },
      wait: async (milliseconds) => void waits.push(milliseconds),
    });
    assert.deepEqual(waits, [7_000, 30_000]);
  });

  it('lets what is under way end when it is cancelled, and starts nothing more', async () => {
    const cancel = new AbortController();
    const progress: number[] = [];
    const results = await runBulk({
      items: numbers(30),
      act: async (item) => {
        if (item === 5) cancel.abort();
        await Promise.resolve();
        return undefined;
      },
      signal: cancel.signal,
      onProgress: (ended) => void progress.push(ended),
    });
    const started = results.filter(({ outcome }) => outcome !== 'not-started');
    assert.ok(started.length >= 6 && started.length <= 8, `${started.length} were started`);
    assert.ok(started.every(({ outcome }) => outcome === 'done'));
    assert.equal(progress.at(-1), started.length);
  });

  it('ends a wait at once when it is cancelled', async () => {
    const cancel = new AbortController();
    const running = runBulk({
      items: ['a', 'b'],
      concurrency: 1,
      act: async () => {
        queueMicrotask(() => cancel.abort());
        throw answer(503, 30);
      },
      signal: cancel.signal,
    });
    assert.deepEqual(await running, [
      { item: 'a', outcome: 'failed', reason: 'status 503' },
      { item: 'b', outcome: 'not-started' },
    ]);
  });

  it('starts nothing more once a request was refused for want of a session', async () => {
    const results = await runBulk({
      items: numbers(12),
      act: async (item) => {
        if (item === 4) throw answer(401);
        return undefined;
      },
    });
    assert.equal(results[4]?.outcome, 'failed');
    assert.equal(results[11]?.outcome, 'not-started');
  });

  it('checks each item before its act, leaves out who fails it, and reports what the check has read', async () => {
    const acted: string[] = [];
    const results = await runBulk({
      items: ['a', 'b', 'c'],
      check: async (item) =>
        item === 'b' ? { item: 'b, read', leftOut: 'It no longer matches.' } : { item: `${item}, read` },
      act: async (item) => {
        acted.push(item);
        return undefined;
      },
    });
    assert.deepEqual(acted, ['a, read', 'c, read']);
    assert.deepEqual(results, [
      { item: 'a, read', outcome: 'done' },
      { item: 'b, read', outcome: 'left-out', reason: 'It no longer matches.' },
      { item: 'c, read', outcome: 'done' },
    ]);
  });

  it('checks once though the act is tried again: what was lost on the way may have changed the item', async () => {
    const calls: string[] = [];
    const results = await runBulk({
      items: ['a'],
      check: async (item) => {
        calls.push('check');
        return calls.includes('act') ? { item, leftOut: 'changed by the act' } : { item };
      },
      act: async () => {
        calls.push('act');
        if (calls.length < 4) throw answer(504);
        return undefined;
      },
      wait: noWait,
    });
    assert.deepEqual(calls, ['check', 'act', 'act', 'act']);
    assert.deepEqual(results, [{ item: 'a', outcome: 'done' }]);
  });

  it('waits for a check that cannot be answered, and does nothing without its answer', async () => {
    let tried = 0;
    const results = await runBulk({
      items: ['a'],
      check: async () => {
        tried += 1;
        throw answer(503);
      },
      act: async () => assert.fail('acted'),
      wait: noWait,
    });
    assert.equal(tried, 4);
    assert.deepEqual(results, [
      { item: 'a', outcome: 'failed', reason: 'It could not be checked, so nothing was done: status 503' },
    ]);
  });

  it('does not begin an act whose check ends after the cancellation', async () => {
    const cancel = new AbortController();
    const results = await runBulk({
      items: ['a', 'b'],
      check: async (item) => {
        cancel.abort();
        return { item };
      },
      act: async () => assert.fail('acted'),
      signal: cancel.signal,
    });
    assert.deepEqual(results, [
      { item: 'a', outcome: 'not-started' },
      { item: 'b', outcome: 'not-started' },
    ]);
  });
});
