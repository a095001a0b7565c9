import assert from 'node:assert/strict';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { transferThroughput } from '../../server/upstream/proxy/transfer-throughput.ts';

const LIMITS = { bytes: 100, ms: 1000 };

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
