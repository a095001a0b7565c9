import assert from 'node:assert/strict';
import {
  type StaleWhileRevalidate,
  staleWhileRevalidate,
} from '../../server/features/activity/stale-while-revalidate.ts';
import { createLog } from '../../server/log/log.ts';
import { UpstreamFailure } from '../../server/upstream/upstream-failure.ts';

const MINUTE = 60_000;

describe('stale while revalidate', () => {
  let clock: number;
  let logged: string[];
  /** Every reading begun, to be ended by the test. */
  let readings: {
    finish(value: string): Promise<void>;
    fail(): Promise<void>;
    soFar: string | undefined;
    signal: AbortSignal;
  }[];
  let kept: StaleWhileRevalidate<string>;

  beforeEach(() => {
    clock = 1_000_000;
    logged = [];
    readings = [];
    kept = staleWhileRevalidate({
      name: 'the list',
      freshMs: MINUTE,
      usableMs: 15 * MINUTE,
      waitMs: 5,
      now: () => clock,
      log: createLog({ level: 'info', production: false }, { write: (line) => void logged.push(line) }),
      begin(signal) {
        const { promise, resolve, reject } = withResolvers<string>();
        const settled = promise.then(
          () => {},
          () => {},
        );
        const reading = {
          soFar: undefined as string | undefined,
          signal,
          finish(value: string) {
            resolve(value);
            return settled;
          },
          fail() {
            reject(new UpstreamFailure('unreachable'));
            return settled;
          },
        };
        readings.push(reading);
        return { done: promise, soFar: () => reading.soFar };
      },
    });
  });

  const reading = (index: number) => readings[index] ?? assert.fail(`reading ${index} has not begun`);
  async function first(value: string): Promise<void> {
    const asked = kept.get();
    await reading(0).finish(value);
    assert.equal(await asked, value);
  }

  it('is read once for all concurrent callers, and not again for the following minute', async () => {
    const asked = [kept.get(), kept.get(), kept.get()];
    await reading(0).finish('one');
    assert.deepEqual(await Promise.all(asked), ['one', 'one', 'one']);
    clock += MINUTE - 1;
    assert.equal(await kept.get(), 'one');
    assert.equal(readings.length, 1);
  });

  it('is answered stale while it is read again, and fresh after', async () => {
    await first('one');
    clock += MINUTE;
    assert.deepEqual(await Promise.all([kept.get(), kept.get()]), ['one', 'one']);
    assert.equal(readings.length, 2);
    await reading(1).finish('two');
    assert.equal(await kept.get(), 'two');
  });

  it('counts the minute from the end of a reading, and the quarter of an hour from its beginning', async () => {
    const asked = kept.get();
    clock += 10 * MINUTE;
    await reading(0).finish('slow');
    assert.equal(await asked, 'slow');
    clock += MINUTE - 1;
    assert.equal(await kept.get(), 'slow');
    assert.equal(readings.length, 1);
    clock += 4 * MINUTE;
    assert.equal(await kept.get(), 'slow');
    assert.equal(readings.length, 2);
    clock += 1;
    await assert.rejects(kept.get(), { kind: 'timeout' });
  });

  it('is answered stale while readings fail, for a quarter of an hour and no longer', async () => {
    await first('one');
    for (let minutes = 2; minutes < 15; minutes += 1) {
      clock += MINUTE;
      assert.equal(await kept.get(), 'one');
      if (minutes > 2) await readings.at(-1)?.fail();
    }
    clock += 3 * MINUTE;
    const asked = kept.get();
    await readings.at(-1)?.fail();
    await assert.rejects(asked, { kind: 'unreachable' });
  });

  it('is read again five seconds after a failure, and not before', async () => {
    const asked = kept.get();
    await reading(0).fail();
    await assert.rejects(asked, { kind: 'unreachable' });
    clock += 4_999;
    await assert.rejects(kept.get(), { kind: 'unreachable' });
    assert.equal(readings.length, 1);
    clock += 1;
    const again = kept.get();
    await reading(1).finish('one');
    assert.equal(await again, 'one');
  });

  it('is logged as lost once, until it is read again', async () => {
    for (let round = 0; round < 3; round += 1) {
      const asked = kept.get();
      await reading(round).fail();
      await assert.rejects(asked);
      clock += 5_000;
    }
    assert.equal(logged.length, 1);
    assert.match(logged.join(), /the list cannot be read/);
  });

  it('is the partial result when the first reading takes too long, while that goes on', async () => {
    const asked = kept.get();
    reading(0).soFar = 'a part';
    assert.equal(await asked, 'a part');
    reading(0).soFar = 'more';
    clock += 8_000;
    assert.equal(await kept.get(), 'more');
    await reading(0).finish('all');
    assert.equal(await kept.get(), 'all');
    assert.equal(readings.length, 1);
  });

  it('is a timeout when nothing was read in that time', async () => {
    await assert.rejects(kept.get(), { kind: 'timeout' });
  });

  it('is what was read when the first reading breaks off half-way, until the next one is whole', async () => {
    const asked = kept.get();
    reading(0).soFar = 'a part';
    await reading(0).fail();
    assert.equal(await asked, 'a part');
    clock += 5_000;
    assert.equal(await kept.get(), 'a part');
    await reading(1).finish('all');
    assert.equal(await kept.get(), 'all');
  });

  it('is not replaced by part of a later reading', async () => {
    await first('all');
    clock += MINUTE;
    assert.equal(await kept.get(), 'all');
    reading(1).soFar = 'a part';
    await reading(1).fail();
    assert.equal(await kept.get(), 'all');
  });

  it('stops a reading in progress without logging it', async () => {
    const asked = kept.get();
    kept.stop();
    assert.equal(reading(0).signal.aborted, true);
    await reading(0).fail();
    await assert.rejects(asked);
    assert.deepEqual(logged, []);
  });
});

/** `Promise.withResolvers` of later releases of Node. */
function withResolvers<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let settle: { resolve(value: T): void; reject(error: unknown): void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  assert.ok(settle);
  return { promise, ...settle };
}
