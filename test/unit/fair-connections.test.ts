import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { type FairConnections, fairConnections } from '../../server/upstream/proxy/forwarder.ts';

describe('the fair queue for an upstream’s connections', () => {
  const LIMITS = { connections: 4, waiting: 2_000, waitMs: 60_000, stalledMs: 2_000, tickMs: 50 };
  /** Result of each request, in order. */
  let log: string[];
  let shares: FairConnections;
  let ends: Map<string, () => void>;
  let stalled: Record<string, number>;
  /** What is cut ends only when it is told to. */
  let lingers: boolean;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    start(4);
  });
  afterEach(() => {
    for (const end of ends.values()) end();
    mock.timers.reset();
  });

  function start(connections: number): void {
    log = [];
    ends = new Map();
    stalled = {};
    lingers = false;
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
          tick() {},
          stalledMs: () => stalled[name] ?? 0,
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
    for (const name of names) stalled[name] = 10_000;
  };
  /** What happened by the time that everybody was looked at. */
  function happened(): string[] {
    mock.timers.tick(LIMITS.stalledMs);
    return log.splice(0);
  }

  it('of all keys that hold more than the waiting one the longest stalled is cut, and no more than is asked for', () => {
    ask('a1', 'a2', 'b1', 'b2');
    stalled = { a1: 1_999, a2: 5_000, b1: 9_000, b2: 4_000 };
    log = [];
    ask('c1');
    assert.deepEqual(happened(), ['b1 cut', 'c1 granted']);
    ask('c2');
    assert.deepEqual(happened(), ['a2 cut', 'c2 granted']);
    ask('c3');
    assert.deepEqual(happened(), [], 'nobody holds more than c');
  });

  it('one key with many waiters gets as many as the others hold, and no more', () => {
    start(128);
    const slow = [...many('a', 64), ...many('b', 64)];
    ask(...slow);
    stall(slow);
    stalled['a1'] = 0;
    log = [];
    ask(...many('c', 100));
    const events = happened();
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
    it(`${attackers} attackers that hold all connections do not lock out 20 others`, () => {
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
      const events = happened();
      assert.deepEqual(
        events.filter((event) => event.endsWith('granted')).sort(),
        others.map((name) => `${name} granted`).sort(),
      );
      assert.equal(events.filter((event) => event.endsWith('cut')).length, 20);
    });
});
