import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { fairQueue, type QueueLimits } from '../../server/http/limits.ts';

describe('a fair queue', () => {
  const LIMITS: QueueLimits = { places: 4, waiting: 6, waitMs: 60_000 };
  /** Result of each claim, in order. */
  let log: string[];
  let queue: ReturnType<typeof fairQueue>;
  let ends: Map<string, () => void>;

  function start(limits: Partial<QueueLimits> = {}): void {
    log = [];
    ends = new Map();
    queue = fairQueue({ ...LIMITS, ...limits });
  }
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    start();
  });
  afterEach(() => {
    for (const end of ends.values()) end();
    mock.timers.reset();
  });

  /** `a1`: a claim of key `a`. */
  function ask(...names: string[]): void {
    for (const name of names)
      ends.set(
        name,
        queue.claim(name.charAt(0), {
          granted: () => void log.push(`${name} granted`),
          refused: () => void log.push(`${name} refused`),
        }),
      );
  }
  const end = (name: string): void => ends.get(name)?.();

  it('the next place goes to the waiting key with the fewest, whoever came first', () => {
    ask('a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'c1');
    log = [];
    end('b1');
    end('a1');
    end('a2');
    assert.deepEqual(log, ['b2 granted', 'c1 granted', 'a4 granted']);
  });

  it('keys with equally many places take turns', () => {
    start({ places: 1 });
    ask('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    log = [];
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) end(name);
    assert.deepEqual(
      log,
      ['a2', 'b1', 'c1', 'a3', 'b2'].map((name) => `${name} granted`),
    );
  });

  it('a key with more than half waits while another waits, and continues immediately afterwards', () => {
    ask('a1', 'a2', 'a3', 'a4', 'a5', 'b1');
    log = [];
    end('a1');
    assert.deepEqual(log, ['b1 granted']);
    end('a2');
    assert.deepEqual(log, ['b1 granted', 'a5 granted']);
  });

  it('a full queue rejects new claims of the key with the most waiting, and admits others in its place', () => {
    ask('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9');
    ask('aX');
    log = [];
    ask('aY');
    assert.deepEqual(log, ['aY refused']);
    ask('b1', 'b2', 'c1');
    assert.deepEqual(log, ['aY refused', 'aX refused', 'a9 refused', 'a8 refused']);
    end('a1');
    assert.equal(log.at(-1), 'b1 granted');
  });

  it('a claim that waits too long is rejected, and its place becomes free', () => {
    ask('a1', 'a2', 'a3', 'a4', 'b1');
    mock.timers.tick(LIMITS.waitMs - 1);
    assert.ok(!log.includes('b1 refused'));
    mock.timers.tick(1);
    assert.equal(log.at(-1), 'b1 refused');
    end('a1');
    assert.ok(!log.includes('b1 granted'));
    ask('c1');
    assert.equal(log.at(-1), 'c1 granted');
  });
});
