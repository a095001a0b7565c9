import assert from 'node:assert/strict';
import { setImmediate as afterPromises } from 'node:timers/promises';
import type { ActEvent, Timed } from '../../server/audit/event.ts';
import { auditQueue } from '../../server/audit/trail.ts';
import { createLog } from '../../server/log.ts';
import { until } from '../support/eventually.ts';

const act = (index: number): Timed<ActEvent> => ({
  action: 'proxy_write',
  actor: 'anonymous',
  target: `/api/identity-admin/${index}`,
  timestamp: '2026-01-01T00:00:00.000Z',
});

describe('the audit queue', () => {
  function queueOf(
    append: (events: readonly Timed<ActEvent>[]) => Promise<void>,
    capacity = 10_000,
    retryMs = 1,
    waitMs = 600_000,
  ) {
    const lines: string[] = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    const queue = auditQueue({ append, log, capacity, retryMs, waitMs });
    return { queue, logged: () => lines.map((line) => JSON.parse(line) as { msg: string; dropped?: number }) };
  }

  it('appends in order, in small batches', async () => {
    const batches: (readonly Timed<ActEvent>[])[] = [];
    const { queue } = queueOf(async (events) => void batches.push(events));
    const events = Array.from({ length: 1_000 }, (_, index) => act(index));
    for (const event of events) void queue.add(event);
    await queue.drain();
    assert.deepEqual(batches.flat(), events);
    assert.ok(batches.every((batch) => batch.length <= 50));
  });

  it('drops what finds no room, and says how many', async () => {
    const seen: Timed<ActEvent>[] = [];
    const { queue, logged } = queueOf(async (events) => void seen.push(...events), 100);
    for (let index = 0; index < 250; index += 1) void queue.add(act(index));
    await queue.drain();
    assert.equal(seen.length, 100);
    assert.deepEqual(
      logged().map(({ msg, dropped }) => [msg, dropped]),
      [
        ['the audit queue is full', undefined],
        ['audit records dropped', 150],
      ],
    );
  });

  it('retries after a failure, loses nothing and keeps the order', async () => {
    const seen: Timed<ActEvent>[] = [];
    let failures = 3;
    const { queue } = queueOf(async (events) => {
      failures -= 1;
      if (failures >= 0) throw new Error('away');
      seen.push(...events);
    });
    const events = Array.from({ length: 120 }, (_, index) => act(index));
    for (const event of events) void queue.add(event);
    await until(() => queue.state().waiting === 0);
    assert.deepEqual(seen, events);
  });

  it('reports its length, and the start of an outage once', async () => {
    let away = true;
    let attempts = 0;
    const { queue, logged } = queueOf(async () => {
      attempts += 1;
      if (away) throw new Error('away');
    }, 2);
    assert.deepEqual(queue.state(), { taken: 0, waiting: 0, dropped: 0, failing: false });
    for (let index = 0; index < 3; index += 1) void queue.add(act(index));
    while (attempts < 4) await afterPromises();
    assert.deepEqual(queue.state(), { taken: 3, waiting: 2, dropped: 1, failing: true });
    away = false;
    while (queue.state().waiting > 0) await afterPromises();
    assert.deepEqual(queue.state(), { taken: 3, waiting: 0, dropped: 1, failing: false });
    assert.equal(logged().filter(({ msg }) => msg === 'audit records are waiting for the database').length, 1);
  });

  it('gives up what cannot be recorded when the process ends, without waiting for its next attempt', async () => {
    let attempts = 0;
    const { queue, logged } = queueOf(
      async () => {
        attempts += 1;
        throw new Error('away');
      },
      100,
      600_000,
    );
    for (let index = 0; index < 70; index += 1) void queue.add(act(index));
    while (!queue.state().failing) await afterPromises();
    await queue.drain();
    assert.equal(attempts, 2);
    assert.equal(logged().at(-1)?.dropped, 70);
    await queue.drain();
  });

  describe('who waits for a record', () => {
    /** A database that stores a batch when it is told to. */
    function slowQueue(options: { capacity?: number; waitMs?: number } = {}) {
      const stores: (() => void)[] = [];
      const { queue } = queueOf(
        () => new Promise((resolve) => void stores.push(resolve)),
        options.capacity,
        1,
        options.waitMs,
      );
      const settled: number[] = [];
      const add = (index: number): Promise<void> => queue.add(act(index)).then(() => void settled.push(index));
      return { queue, stores, settled, add };
    }

    it('waits until the batch that holds it is stored', async () => {
      const { stores, settled, add } = slowQueue();
      const [first, second, third] = [add(1), add(2), add(3)];
      await afterPromises();
      assert.deepEqual([stores.length, settled], [1, []]);
      stores[0]?.();
      await first;
      assert.deepEqual(settled, [1]);
      await until(() => stores.length === 2);
      stores[1]?.();
      await Promise.all([second, third]);
      assert.deepEqual([stores.length, settled], [2, [1, 2, 3]]);
    });

    it('is released when an attempt fails, and does not wait again until one succeeds', async () => {
      const attempts: ((error: Error) => void)[] = [];
      let away = true;
      const append = (): Promise<void> =>
        away ? new Promise((_resolve, reject) => void attempts.push(reject)) : Promise.resolve();
      const { queue } = queueOf(append, 10_000, 20);
      const waiting = [queue.add(act(1)), queue.add(act(2))];
      attempts[0]?.(new Error('away'));
      await Promise.all(waiting);
      // While the next attempt is on its way.
      await until(() => attempts.length === 2);
      await queue.add(act(3));
      assert.deepEqual(queue.state(), { taken: 3, waiting: 3, dropped: 0, failing: true });
      away = false;
      attempts[1]?.(new Error('away'));
      await until(() => !queue.state().failing);
      await queue.add(act(4));
      assert.equal(queue.state().waiting, 0);
    });
  });
});
