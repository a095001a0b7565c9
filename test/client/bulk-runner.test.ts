import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { RequestError } from '../../client/api/request.ts';
import { hasSessionSince } from '../../client/features/identities/identity-acts.ts';
import { runBulk } from '../../client/list/bulk-run.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const response = (status: number, retryAfter?: number): RequestError =>
  new RequestError({ status, code: 'upstream_error', message: `status ${status}`, retryAfter });

describe('the bulk runner', () => {
  it('runs at most four items at a time', async () => {
    let running = 0;
    let mostAtOnce = 0;
    await runBulk({
      items: numbers(30),
      act: async () => {
        running += 1;
        mostAtOnce = Math.max(mostAtOnce, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return undefined;
      },
    });
    assert.equal(mostAtOnce, 4);
  });

  it('retries transient failures after a second, or after the delay in Retry-After up to 30 seconds', async () => {
    const waits: number[] = [];
    const failures = [response(504), response(429, 7), response(429, 3_600)];
    const results = await runBulk({
      items: ['a'],
      act: async () => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return undefined;
      },
      wait: async (milliseconds) => void waits.push(milliseconds),
    });
    assert.deepEqual(results, [{ item: 'a', outcome: 'done' }]);
    assert.deepEqual(waits, [1_000, 7_000, 30_000]);
  });

  it('fails an item whose sessions never end, and says why', async () => {
    const page = numbers(250).map((id) => ({ id: `${id}` }));
    const { mock: requests } = mock.method(globalThis, 'fetch', async () => Response.json(page));
    const act = async (id: string) => String(await hasSessionSince(id, Number.POSITIVE_INFINITY));
    const [result] = await runBulk({ items: ['a'], act }).finally(() => mock.restoreAll());
    assert.deepEqual([result?.outcome, requests.callCount()], ['failed', 40]);
    assert.match(result?.reason ?? '', /too many sessions/);
  });

  it('finishes running items when cancelled, and starts no more', async () => {
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

  it('starts no more items after a 401 response', async () => {
    const results = await runBulk({
      items: numbers(12),
      act: async (item) => {
        if (item === 4) throw response(401);
        return undefined;
      },
    });
    assert.equal(results[4]?.outcome, 'failed');
    assert.equal(results[11]?.outcome, 'not-started');
  });

  it('checks each item before its action, skips items that the check rejects, and reports what the check read', async () => {
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

  it('retries a check whose request fails, and leaves the item unchanged unless the check succeeds', async () => {
    let attempts = 0;
    const results = await runBulk({
      items: ['a'],
      check: async () => {
        attempts += 1;
        throw response(503);
      },
      act: async () => assert.fail('acted'),
      wait: async () => {},
    });
    assert.equal(attempts, 4);
    assert.deepEqual(results, [
      { item: 'a', outcome: 'failed', reason: 'The check failed, so nothing was changed: status 503' },
    ]);
  });
});
