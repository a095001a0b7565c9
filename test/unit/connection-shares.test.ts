import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectionShares,
  connectionShares,
  type ShareLimits,
} from '../../server/upstream/proxy/connection-shares.ts';

describe('shares of an upstream’s connections', () => {
  const LIMITS: ShareLimits = { connections: 4, waiting: 6, waitMs: 60_000, stalledMs: 60_000 };
  /** Result of each request, in order. */
  let log: string[];
  let shares: ConnectionShares;
  let ends: Map<string, () => void>;
  let stalled: Record<string, number>;

  function start(limits: Partial<ShareLimits> = {}): void {
    log = [];
    ends = new Map();
    stalled = {};
    shares = connectionShares({ ...LIMITS, ...limits });
  }
  beforeEach(() => start());
  afterEach(() => {
    for (const end of ends.values()) end();
  });

  /** `a1`: a request of key `a`. */
  function ask(...names: string[]): void {
    for (const name of names)
      ends.set(
        name,
        shares.claim(name.charAt(0), {
          granted: () => void log.push(`${name} granted`),
          refused: () => void log.push(`${name} refused`),
          stalledMs: () => stalled[name] ?? 0,
          cut: () => {
            log.push(`${name} cut`);
            ends.get(name)?.();
          },
        }),
      );
  }
  it('while others wait a key over half loses what its callers stall, the worst first, and no more than is asked for', async () => {
    start({ stalledMs: 20 });
    ask('a1', 'a2', 'a3', 'b1');
    stalled = { a1: 20, a2: 90, a3: 19, b1: 90 };
    await sleep(40);
    assert.equal(log.length, 4);
    ask('c1');
    while (log.length < 6) await sleep(5);
    assert.deepEqual(log.slice(4), ['a2 cut', 'c1 granted']);
    ask('c2');
    await sleep(40);
    assert.equal(log.length, 6, 'two of four are not over half');
  });
});
