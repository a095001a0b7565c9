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

  it('starts over with every amount that was asked', () => {
    const party = throughput(LIMITS);
    party.observe(900, true, 0);
    assert.equal(party.observe(50, true, 100), 0);
    assert.equal(party.observe(900, true, 199), 900);
    assert.equal(party.observe(50, true, 200), 0);
  });

  it('does not run while others must act', () => {
    const party = throughput(LIMITS);
    party.observe(300, true, 0);
    assert.equal(party.observe(10_000, false, 0), 300);
    assert.equal(party.observe(300, true, 0), 600);
  });
});

describe('the ticker', () => {
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  /** Notes how often it was called, and what had elapsed in all. */
  const watcher = () => {
    const seen = { ticks: 0, ms: 0, tick };
    function tick(elapsedMs: number): void {
      seen.ticks += 1;
      seen.ms += elapsedMs;
    }
    return seen;
  };

  it('calls everybody until each has left, and those who come after all have left', async () => {
    const clock = ticker(2);
    const [first, second, third] = [watcher(), watcher(), watcher()];
    clock.add(first);
    clock.add(second);
    await until(() => first.ticks >= 2 && second.ticks >= 2);
    clock.remove(first);
    const { ticks } = first;
    await until(() => second.ticks >= ticks + 5);
    assert.equal(first.ticks, ticks);
    clock.remove(second);
    await new Promise((resolve) => setTimeout(resolve, 20));
    clock.add(third);
    await until(() => third.ticks >= 2);
  });

  it('tells how much time has passed, and of a pause of the process not more than ten ticks', async () => {
    const clock = ticker(5);
    const watched = watcher();
    const began = performance.now();
    clock.add(watched);
    while (performance.now() < began + 300);
    await until(() => watched.ticks === 1);
    clock.remove(watched);
    assert.equal(watched.ms, 50);
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

  it('asks the upstream to take the body while it has no room, and the caller for nothing', () => {
    const { watch, client } = exchangeOf(true);
    client.writableNeedDrain = true;
    assert.equal(watch.observe(999), false);
    assert.equal(watch.callerSlowMs(), 0);
    assert.equal(watch.observe(1), true);
    client.writableFinished = true;
    assert.equal(watch.observe(1), false);
  });

  it('asks for no body where there is none, where it has arrived, and of a request that is over', () => {
    const none = exchangeOf(false);
    none.req.complete = false;
    assert.equal(none.watch.observe(2_000), false);
    const whole = exchangeOf(true);
    whole.req.complete = true;
    assert.equal(whole.watch.observe(2_000), false);
    const over = exchangeOf(true);
    over.client.destroyed = true;
    assert.equal(over.watch.observe(2_000), false);
    const waiting = exchangeOf(true);
    waiting.present.client = false;
    assert.equal(waiting.watch.observe(2_000), false);
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

  it('asks nothing of the upstream while the caller has no room for more of the answer', () => {
    const { watch, present, res, caller } = exchangeOf(false);
    present.answer = true;
    res.writableNeedDrain = true;
    for (let taken = 100; taken <= 500; taken += 100) {
      caller.bytesWritten = taken;
      assert.equal(watch.observe(600), false);
    }
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
