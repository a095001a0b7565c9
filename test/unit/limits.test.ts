import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { DatabaseUnavailable, isUnavailable } from '../../server/db/errors.ts';
import { ApiError } from '../../server/http/errors.ts';
import { rateLimit } from '../../server/http/limits.ts';
import { memoryBudgets, usableMemory } from '../../server/memory.ts';
import { turns } from '../../server/queue.ts';
import { pageSize } from '../../server/search-index/sources.ts';

describe('a rate limit', () => {
  const MINUTE_MS = 60_000;
  const retryAfter = (seconds: string) => (error: unknown) =>
    error instanceof ApiError && error.status === 429 && error.headers['Retry-After'] === seconds;

  it('allows its number of uses in any window, and states when the next one is possible', () => {
    let now = 0;
    const limit = rateLimit({ limit: 3, windowMs: MINUTE_MS, monotonic: () => now });
    for (const at of [0, 20_000, 40_000]) {
      now = at;
      limit.use('ada');
    }
    assert.throws(() => limit.use('ada'), retryAfter('20'));
    now = 59_999;
    assert.throws(() => limit.use('ada'), retryAfter('1'));
    now = 60_000;
    limit.use('ada');
    assert.throws(() => limit.use('ada'), retryAfter('20'));
  });

  it('does not count refused uses', () => {
    let now = 0;
    const limit = rateLimit({ limit: 1, windowMs: MINUTE_MS, monotonic: () => now });
    limit.use('ada');
    for (now = 1_000; now < MINUTE_MS; now += 1_000) assert.throws(() => limit.use('ada'));
    limit.use('ada');
  });

  it('still limits a busy caller among thousands of others', () => {
    const limit = rateLimit({ limit: 2, windowMs: MINUTE_MS, monotonic: () => 0 });
    limit.use('ada');
    for (let index = 0; index < 5_000; index += 1) limit.use(`other-${index}`);
    limit.use('ada');
    for (let index = 5_000; index < 14_000; index += 1) limit.use(`other-${index}`);
    assert.throws(() => limit.use('ada'));
  });
});

describe('the turns of transactions', () => {
  const refusal = (): Error => new DatabaseUnavailable();
  afterEach(() => mock.timers.reset());

  /** A task that runs until `end`. */
  function task() {
    let settle = (_error?: Error): void => {};
    let isStarted = false;
    const run = (): Promise<void> => {
      isStarted = true;
      return new Promise((resolve, reject) => {
        settle = (error) => (error === undefined ? resolve() : reject(error));
      });
    };
    return { run, isStarted: () => isStarted, end: (error?: Error) => settle(error) };
  }
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('runs as many tasks at once as it allows, and the others in order of arrival, also after a failure', async () => {
    const limited = turns({ places: 2, waiting: 10, waitMs: 10_000 }, refusal);
    const tasks = Array.from({ length: 4 }, task);
    const results = tasks.map(({ run }) => limited('', run));
    const started = async (): Promise<boolean[]> => {
      await nextTurn();
      return tasks.map(({ isStarted }) => isStarted());
    };
    assert.deepEqual(await started(), [true, true, false, false]);
    tasks[1]?.end(new Error('failed'));
    await assert.rejects(results[1] ?? assert.fail(), { message: 'failed' });
    assert.deepEqual(await started(), [true, true, true, false]);
    tasks[0]?.end();
    assert.deepEqual(await started(), [true, true, true, true]);
    tasks[2]?.end();
    tasks[3]?.end();
    await Promise.allSettled(results);
  });

  it('rejects a task when the queue is full or the wait is too long, and does not run it later', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const limited = turns({ places: 1, waiting: 1, waitMs: 10_000 }, refusal);
    const [first, second, third] = [task(), task(), task()];
    const running = limited('', first.run);
    const waiting = limited('', second.run);
    await assert.rejects(limited('', third.run), isUnavailable);
    mock.timers.tick(10_000);
    await assert.rejects(waiting, isUnavailable);
    first.end();
    await running;
    assert.deepEqual([second.isStarted(), third.isStarted()], [false, false]);
    const last = limited('', third.run);
    await nextTurn();
    assert.equal(third.isStarted(), true);
    third.end();
    await last;
  });
});

describe('the memory budgets', () => {
  const MB = 1024 * 1024;
  const NONE = Number.POSITIVE_INFINITY;

  it('are based on the least of the cgroup’s limit, the machine’s memory and twice the heap', () => {
    assert.equal(usableMemory(256 * MB, 8_192 * MB, 2_096 * MB), 256 * MB);
    assert.equal(usableMemory(NONE, 512 * MB, 2_096 * MB), 512 * MB);
    assert.equal(usableMemory(NONE, 8_192 * MB, 96 * MB), 192 * MB);
    // The kernel reports this value if there is no limit.
    assert.equal(usableMemory(2 ** 63, 512 * MB, 2_096 * MB), 512 * MB);
  });

  it('are those for 256 MiB if there is less memory, and those for 1 GiB if there is more', () => {
    const at = (megabytes: number) => ({ ...memoryBudgets(megabytes * MB), usable: 0 });
    assert.deepEqual(at(64), at(256));
    assert.deepEqual(at(65_536), at(1024));
  });

  it('have room for every copy that the allowed proxy connections can make', () => {
    for (let megabytes = 128; megabytes <= 1024; megabytes += 64) {
      const { proxy, copiedBytes } = memoryBudgets(megabytes * MB);
      // Requests to admin upstreams are copied, up to 64 KiB of each.
      assert.ok(copiedBytes >= proxy.connections * 65_536, `${megabytes} MiB`);
    }
  });
});

describe('the page size of a list that the index reads', () => {
  const KB = 1024;
  /** The sizes of the first four pages, in rows, if each row has the given number of bytes. */
  function sizes(bytesPerRow: number): number[] {
    const size = pageSize('identities');
    return Array.from({ length: 4 }, () => {
      const { rows } = size;
      size.follow({ rows, bytes: 2 + rows * bytesPerRow });
      return rows;
    });
  }

  it('starts at 50 rows, and then is as large as a page of one megabyte allows, from 25 to 250 rows', () => {
    assert.deepEqual(sizes(800), [50, 250, 250, 250]);
    assert.deepEqual(sizes(10 * KB), [50, 102, 102, 102]);
    assert.deepEqual(sizes(1_000 * KB), [50, 25, 25, 25]);
  });

  it('is halved down to its minimum while pages take too long, and does not grow again', () => {
    const size = pageSize('identities');
    size.follow({ rows: 50, bytes: 50_000 });
    const halves = [size.rows];
    while (size.halve()) halves.push(size.rows);
    assert.deepEqual(halves, [250, 125, 62, 31, 25]);
    size.follow({ rows: 25, bytes: 25_000 });
    assert.equal(size.rows, 25);
  });
});
