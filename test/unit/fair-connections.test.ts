import assert from 'node:assert/strict';
import {
  type FairConnections,
  fairConnections,
  type ShareLimits,
} from '../../server/upstream/proxy/fair-connections.ts';
import { until } from '../support/becomes.ts';

describe('the fair queue for an upstream’s connections', () => {
  const LIMITS: ShareLimits = { connections: 4, waiting: 2_000, waitMs: 60_000, stalledMs: 20 };
  /** Result of each request, in order. */
  let log: string[];
  let shares: FairConnections;
  let ends: Map<string, () => void>;
  let stalled: Record<string, number>;
  /** What is cut ends only when it is told to. */
  let lingers: boolean;
  /** How often it was asked who has stalled: once a look for each request that holds a connection. */
  let looked: Map<string, number>;

  beforeEach(() => start(4));
  afterEach(() => {
    for (const end of ends.values()) end();
  });

  function start(connections: number): void {
    log = [];
    ends = new Map();
    stalled = {};
    lingers = false;
    looked = new Map();
    shares = fairConnections({ ...LIMITS, connections });
  }

  /** `a1`: a request of key `a`. */
  function ask(...names: string[]): void {
    for (const name of names)
      ends.set(
        name,
        shares.claim(name.replace(/\d+$/, ''), {
          granted: () => void log.push(`${name} granted`),
          refused: () => void log.push(`${name} refused`),
          stalledMs() {
            looked.set(name, (looked.get(name) ?? 0) + 1);
            return stalled[name] ?? 0;
          },
          cut() {
            log.push(`${name} cut`);
            if (!lingers) end(name);
          },
        }),
      );
  }
  const end = (name: string): void => ends.get(name)?.();
  /** `a1` to `a64`. */
  const many = (key: string, requests: number): string[] =>
    Array.from({ length: requests }, (_, index) => `${key}${index + 1}`);
  const stall = (names: readonly string[]): void => {
    for (const name of names) stalled[name] = 1_000;
  };
  /** What happened by the time somebody who holds a connection all the while was looked at twice more. */
  async function happened(witness: string): Promise<string[]> {
    const before = looked.get(witness) ?? 0;
    await until(() => (looked.get(witness) ?? 0) >= before + 2);
    return log.splice(0);
  }

  it('of all keys that hold more than the waiting one the longest stalled is cut, and no more than is asked for', async () => {
    ask('a1', 'a2', 'b1', 'b2');
    stalled = { a1: 19, a2: 50, b1: 90, b2: 40 };
    log = [];
    ask('c1');
    assert.deepEqual(await happened('a1'), ['b1 cut', 'c1 granted']);
    ask('c2');
    assert.deepEqual(await happened('a1'), ['a2 cut', 'c2 granted']);
    ask('c3');
    assert.deepEqual(await happened('a1'), [], 'nobody holds more than c');
  });

  it('a caller that moves enough data is never cut off, however many connections it holds', async () => {
    ask('a1', 'a2', 'a3', 'a4', 'b1');
    stalled = { a1: 19, a2: 19, a3: 19, a4: 19 };
    assert.deepEqual((await happened('a1')).slice(4), []);
  });

  it('while a cut connection is still closing, nothing else is cut for the same waiter, nor for whoever takes its turn', async () => {
    ask('a1', 'a2', 'a3', 'a4');
    stalled = { a2: 70, a3: 60, a4: 50 };
    log = [];
    lingers = true;
    ask('b1');
    assert.deepEqual(await happened('a1'), ['a2 cut']);
    assert.deepEqual(await happened('a1'), []);
    end('b1');
    ask('c1');
    assert.deepEqual(await happened('a1'), []);
    ask('d1');
    assert.deepEqual(await happened('a1'), ['a3 cut']);
    end('a3');
    end('a2');
    assert.deepEqual(log, ['c1 granted', 'd1 granted']);
  });

  it('a key that holds 64 and queues 100 cuts nothing of another that holds 64, nor of one that holds fewer', async () => {
    start(129);
    const slow = [...many('b', 64), 'c1'];
    ask(...many('a', 64), ...slow);
    stall(slow);
    log = [];
    ask(...many('a', 164).slice(64));
    assert.deepEqual(await happened('c1'), []);
  });

  it('one key with many waiters gets as many as the others hold, and no more', async () => {
    start(128);
    const slow = [...many('a', 64), ...many('b', 64)];
    ask(...slow);
    stall(slow);
    stalled['a1'] = 0;
    log = [];
    ask(...many('c', 100));
    const events = await happened('a1');
    const granted = events.filter((event) => event.endsWith('granted')).length;
    const cut = events.filter((event) => event.endsWith('cut')).map((event) => event.charAt(0));
    assert.equal(granted, cut.length);
    const kept = ['a', 'b'].map((key) => 64 - cut.filter((of) => of === key).length);
    assert.ok(
      kept.every((count) => count <= granted) && kept.some((count) => count >= granted - 1),
      `${kept}, ${granted}`,
    );
  });

  for (const attackers of [2, 3, 128])
    it(`${attackers} attackers that hold all connections do not lock out 20 others`, async () => {
      start(128);
      const slow = Array.from(
        { length: 128 },
        (_, index) => `${String.fromCharCode(97)}${'x'.repeat(index % attackers)}${index}`,
      );
      ask(...slow);
      stall(slow);
      stalled[slow[0] ?? ''] = 0;
      log = [];
      const others = Array.from({ length: 20 }, (_, index) => `${'z'.repeat(index + 1)}1`);
      ask(...others);
      const events = await happened(slow[0] ?? '');
      assert.deepEqual(
        events.filter((event) => event.endsWith('granted')).sort(),
        others.map((name) => `${name} granted`).sort(),
      );
      assert.equal(events.filter((event) => event.endsWith('cut')).length, 20);
    });

  it('among keys with one connection each a key gets its first for a stalled one, and no second', async () => {
    start(130);
    const slow = Array.from({ length: 130 }, (_, index) => `${'x'.repeat(index + 1)}1`);
    ask(...slow);
    stall(slow);
    stalled[slow[0] ?? ''] = 0;
    log = [];
    ask('b1', 'b2');
    const events = await happened(slow[0] ?? '');
    assert.deepEqual([events.length, events[1]], [2, 'b1 granted']);
  });
});
