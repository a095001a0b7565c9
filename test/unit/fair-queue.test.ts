import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mock } from 'node:test';
import type { Response as ExpressResponse } from 'express';
import { admission } from '../../server/http/limits.ts';
import { fairQueue, type QueueLimits } from '../../server/queue.ts';
import { type FairConnections, fairConnections } from '../../server/upstream/proxy/forwarder.ts';
import { eventually } from '../support/eventually.ts';
import { startGateApp } from '../support/gate-app.ts';
import { ofTest } from '../support/of-suite.ts';

/** Results of claims in order, such as `a1 granted`. */
let log: string[];
/** What ends each claim, by its name. */
let ends: Map<string, () => void>;
const end = (name: string): void => ends.get(name)?.();
const resultsOf = (name: string) => ({
  granted: () => void log.push(`${name} granted`),
  refused: () => void log.push(`${name} refused`),
});

function withMockedTimers(): void {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    log = [];
    ends = new Map();
  });
  afterEach(() => {
    for (const name of ends.keys()) end(name);
    mock.timers.reset();
  });
}

describe('the fair queue', () => {
  withMockedTimers();
  const LIMITS: QueueLimits = { places: 4, waiting: 6, waitMs: 60_000 };
  let queue: ReturnType<typeof fairQueue>;
  beforeEach(() => {
    queue = fairQueue(LIMITS);
  });

  /** Claims a place for each name; `a1` is a claim of key `a`. */
  function claim(...names: string[]): void {
    for (const name of names) ends.set(name, queue.claim(name.charAt(0), resultsOf(name)));
  }

  it('gives the next place to the waiting key that has the fewest, in whatever order the claims arrived', () => {
    claim('a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1');
    log = [];
    end('b1');
    end('a1');
    end('a2');
    assert.deepEqual(log, ['b2 granted', 'c1 granted', 'a4 granted']);
  });

  it('lets keys with equally many places take turns', () => {
    queue = fairQueue({ ...LIMITS, places: 1 });
    claim('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    log = [];
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) end(name);
    assert.deepEqual(
      log,
      ['a2', 'b1', 'c1', 'a3', 'b2'].map((name) => `${name} granted`),
    );
  });

  it('gives no further place to a key that has more than half of the places while another key waits', () => {
    claim('a1', 'a2', 'a3', 'a4', 'a5', 'b1');
    log = [];
    end('a1');
    assert.deepEqual(log, ['b1 granted']);
    end('a2');
    assert.deepEqual(log, ['b1 granted', 'a5 granted']);
  });

  it('refuses, when it is full, claims of the key with the most waiting claims, and queues those of other keys', () => {
    claim('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9');
    claim('aX');
    log = [];
    claim('aY');
    assert.deepEqual(log, ['aY refused']);
    claim('b1', 'b2', 'c1');
    assert.deepEqual(log, ['aY refused', 'aX refused', 'a9 refused', 'a8 refused']);
    end('a1');
    assert.equal(log.at(-1), 'b1 granted');
  });

  it('refuses a claim that has waited too long, and gives the next free place to a later claim', () => {
    claim('a1', 'a2', 'a3', 'a4', 'b1');
    mock.timers.tick(LIMITS.waitMs - 1);
    assert.ok(!log.includes('b1 refused'));
    mock.timers.tick(1);
    assert.equal(log.at(-1), 'b1 refused');
    end('a1');
    assert.ok(!log.includes('b1 granted'));
    claim('c1');
    assert.equal(log.at(-1), 'c1 granted');
  });
});

describe('the fair queue for an upstream’s connections', () => {
  withMockedTimers();
  const LIMITS = { connections: 4, waiting: 2_000, waitMs: 60_000, stalledMs: 2_000, tickMs: 50 };
  let queue: FairConnections;
  let stalled: Record<string, number>;
  const start = (connections: number): void => {
    stalled = {};
    queue = fairConnections({ ...LIMITS, connections });
  };

  /** Claims a connection for each name; `a1` is a request of key `a`. */
  function claim(...names: string[]): void {
    for (const name of names) {
      const request = {
        ...resultsOf(name),
        tick() {},
        stalledMs: () => stalled[name] ?? 0,
        cut() {
          log.push(`${name} cut`);
          end(name);
        },
      };
      ends.set(name, queue.claim(name.replace(/\d+$/, ''), request));
    }
  }
  /** Names of requests of a key, such as `a1` to `a64`. */
  const many = (key: string, requests: number): string[] =>
    Array.from({ length: requests }, (_, index) => `${key}${index + 1}`);
  const stall = (names: readonly string[]): void => {
    for (const name of names) stalled[name] = 10_000;
  };
  /** Lets all connections be examined. @returns the events until then, which it removes from the log */
  function results(): string[] {
    mock.timers.tick(LIMITS.stalledMs);
    return log.splice(0);
  }

  it('ends the longest stalled request of keys that have more connections than the waiting key', () => {
    start(4);
    claim('a1', 'a2', 'b1', 'b2');
    stalled = { a1: 1_999, a2: 5_000, b1: 9_000, b2: 4_000 };
    log = [];
    claim('c1');
    assert.deepEqual(results(), ['b1 cut', 'c1 granted']);
    claim('c2');
    assert.deepEqual(results(), ['a2 cut', 'c2 granted']);
    claim('c3');
    assert.deepEqual(results(), [], 'no key has more than c');
  });

  it('gives a key with many waiting requests as many connections as other keys have, and no more', () => {
    start(128);
    const slow = [...many('a', 64), ...many('b', 64)];
    claim(...slow);
    stall(slow);
    stalled['a1'] = 0;
    log = [];
    claim(...many('c', 100));
    const events = results();
    const granted = events.filter((event) => event.endsWith('granted')).length;
    const cut = events.filter((event) => event.endsWith('cut')).map((event) => event.charAt(0));
    assert.equal(granted, cut.length);
    const left = ['a', 'b'].map((key) => 64 - cut.filter((of) => of === key).length);
    assert.ok(
      left.every((count) => count <= granted) && left.some((count) => count >= granted - 1),
      `${left}, ${granted}`,
    );
  });

  for (const attackers of [2, 3, 128])
    it(`gives each of 20 other keys a connection while ${attackers} attackers occupy all of them`, () => {
      start(128);
      const slow = Array.from({ length: 128 }, (_, index) => `a${'x'.repeat(index % attackers)}${index}`);
      claim(...slow);
      stall(slow);
      stalled[slow[0] ?? ''] = 0;
      log = [];
      const others = Array.from({ length: 20 }, (_, index) => `${'z'.repeat(index + 1)}1`);
      claim(...others);
      const events = results();
      assert.deepEqual(
        events.filter((event) => event.endsWith('granted')).sort(),
        others.map((name) => `${name} granted`).sort(),
      );
      assert.equal(events.filter((event) => event.endsWith('cut')).length, 20);
    });
});

describe('the admission of requests', () => {
  const app = ofTest(() =>
    startGateApp({
      admission: admission({ places: 2, waiting: 1, waitMs: 600_000 }, (req) => String(req.query['key'])),
      routes: [['/api/config', 'configuration.read', (_req, res) => void admitted.push(res)]],
    }),
  );
  /** The responses to admitted requests, which the test ends. */
  let admitted: ExpressResponse[];

  beforeEach(() => {
    admitted = [];
  });

  const PATH = '/api/config?key=ada';
  const call = () => app.call(PATH, { session: 'admin' });
  const untilAdmitted = (count: number): Promise<void> => eventually(() => admitted.length, count);
  const end = (index: number): void => void admitted[index]?.json('done');

  it('lets requests wait, up to a limit, until another ends, and refuses further requests with 503', async () => {
    const first = [call(), call()];
    await untilAdmitted(2);
    const refused = await Promise.race([call(), call()]);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    assert.equal(((await refused.json()) as { error: string }).error, 'service_unavailable');
    end(0);
    await untilAdmitted(3);
    end(1);
    end(2);
    const statuses = (await Promise.all(first)).map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200]);
  });

  it('frees the place of a request whose client disconnects', async () => {
    for (let round = 1; round <= 3; round += 1) {
      const leaving = new AbortController();
      const request = { headers: { cookie: 'dashboard-session=admin' }, signal: leaving.signal };
      const aborted = [1, 2].map(() => fetch(app.url + PATH, request).catch(() => {}));
      await untilAdmitted(2 * round);
      const closed = admitted.slice(-2).map((res) => once(res, 'close'));
      leaving.abort();
      await Promise.all([...aborted, ...closed]);
    }
  });

  it('counts neither requests without a session nor health checks', async () => {
    const first = [call(), call()];
    await untilAdmitted(2);
    assert.equal((await app.call('/api/health')).status, 200);
    assert.equal((await app.call('/api/config')).status, 401);
    end(0);
    end(1);
    await Promise.all(first);
  });
});
