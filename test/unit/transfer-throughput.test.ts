import assert from 'node:assert/strict';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { throughput, ticker } from '../../server/upstream/proxy/min-throughput.ts';
import { transferThroughput } from '../../server/upstream/proxy/transfer-throughput.ts';

const LIMITS = { bytes: 100, ms: 1000 };

describe('the throughput of one party', () => {
  it('is too slow once it had to act for so long and moved less than asked', () => {
    const party = throughput(LIMITS);
    assert.equal(party.observe(600, true, 0), 600);
    assert.equal(party.observe(400, true, 99), 1000);
  });

  it('does not run while others must act', () => {
    const party = throughput(LIMITS);
    party.observe(300, true, 0);
    assert.equal(party.observe(10_000, false, 0), 300);
    assert.equal(party.observe(300, true, 0), 600);
  });
});

describe('the ticker', () => {
  /** Leaves after so many ticks. @returns what had elapsed in all */
  const watched = (clock: ReturnType<typeof ticker>, ticks: number): Promise<number> =>
    new Promise((resolve) => {
      let elapsed = 0;
      let left = ticks;
      const watcher = {
        tick(ms: number) {
          elapsed += ms;
          left -= 1;
          if (left === 0) clock.remove(watcher);
          if (left <= 0) resolve(left === 0 ? elapsed : Number.NaN);
        },
      };
      clock.add(watcher);
    });

  it('calls everybody until each has left, and those who come after all have left', async () => {
    const clock = ticker(2);
    const both = await Promise.all([watched(clock, 2), watched(clock, 7)]);
    assert.ok(both.every((ms) => ms > 0));
    assert.ok((await watched(clock, 2)) > 0);
  });

  it('says how much time has passed, and of a pause of the process not more than ten ticks', async () => {
    const elapsed = watched(ticker(5), 1);
    const end = performance.now() + 100;
    while (performance.now() < end);
    assert.equal(await elapsed, 50);
  });
});

describe('the throughput of a transfer', () => {
  const socketOf = () => ({ bytesRead: 0, bytesWritten: 0, writableLength: 0 });
  /** Both connections and what stands on them, as far as the throughput looks at them. */
  function exchangeOf(hasBody: boolean) {
    const caller = socketOf();
    const upstream = socketOf();
    const req = { complete: !hasBody, socket: caller };
    const res = { writableNeedDrain: false, socket: caller as ReturnType<typeof socketOf> | null };
    const client = { writableNeedDrain: false, writableFinished: false, destroyed: false, socket: upstream };
    const answer = { complete: false, paused: false, isPaused: () => answer.paused, socket: upstream };
    const present = { client: true, answer: false };
    const watch = transferThroughput(LIMITS, {
      req: req as unknown as IncomingMessage,
      res: res as unknown as ServerResponse,
      hasBody,
      client: () => (present.client ? (client as unknown as ClientRequest) : undefined),
      answer: () => (present.answer ? (answer as unknown as IncomingMessage) : undefined),
    });
    return { caller, upstream, req, res, client, answer, present, watch };
  }

  it('asks the caller for its body while the upstream has room', () => {
    const { watch, caller } = exchangeOf(true);
    assert.equal(watch.observe(500), false);
    assert.equal(watch.callerSlowMs(), 500);
    caller.bytesRead = 100;
    assert.equal(watch.observe(500), false);
    assert.equal(watch.callerSlowMs(), 0);
    caller.bytesRead = 150;
    assert.equal(watch.observe(999), false);
    assert.equal(watch.observe(1), true);
  });

  it('counts from where the connection stood, and on over a change of connections', () => {
    const { watch, caller, client, upstream } = exchangeOf(true);
    // What earlier requests on it have moved.
    caller.bytesRead = 5_000;
    client.writableNeedDrain = true;
    upstream.bytesWritten = 7_000;
    upstream.writableLength = 50;
    watch.observe(900);
    upstream.bytesWritten = 7_050;
    upstream.writableLength = 0;
    assert.equal(watch.observe(50), false, 'a hundred bytes were taken');
    upstream.writableLength = 100;
    upstream.bytesWritten = 7_150;
    assert.equal(watch.observe(900), false);
    client.socket = { ...socketOf(), bytesWritten: 40 };
    assert.equal(watch.observe(50), false);
    client.socket.bytesWritten = 140;
    assert.equal(watch.observe(49), false);
    assert.equal(watch.observe(999), false, 'a hundred more were taken');
    client.socket.bytesWritten = 239;
    assert.equal(watch.observe(1), true, 'ninety-nine more are too few');
  });

  it('asks the upstream for its answer while the caller has room, until it is whole', () => {
    const { watch, present, answer, upstream } = exchangeOf(false);
    assert.equal(watch.observe(5_000), false, 'an answer that has not begun has a clock of its own');
    present.answer = true;
    assert.equal(watch.observe(999), false);
    assert.equal(watch.callerSlowMs(), 0);
    upstream.bytesRead = 99;
    answer.paused = true;
    assert.equal(watch.observe(5_000), false, 'nobody reads it');
    answer.paused = false;
    assert.equal(watch.observe(1), true);
    answer.complete = true;
    assert.equal(watch.observe(1), false);
  });

  it('asks the caller to take the answer while it has no room, also after the upstream is done', () => {
    const { watch, present, res, caller, answer } = exchangeOf(false);
    present.answer = true;
    answer.complete = true;
    res.writableNeedDrain = true;
    assert.equal(watch.observe(999), false);
    assert.equal(watch.callerSlowMs(), 999);
    caller.bytesWritten = 150;
    caller.writableLength = 51;
    assert.equal(watch.observe(1), true);
    // Gone: what it had taken counts.
    res.socket = null;
    assert.equal(watch.observe(1), true);
  });
});
