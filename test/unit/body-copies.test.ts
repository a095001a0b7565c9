import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { bodyCopies } from '../../server/upstream/proxy/body.ts';

const MOST = 65_536;

type Copies = ReturnType<typeof bodyCopies>;

/** A request with a copy that has begun. */
function begun(copies: Copies, headers: IncomingMessage['headers'] = {}) {
  const req = Object.assign(new EventEmitter(), { headers });
  const copy = copies(req as unknown as IncomingMessage);
  copy.begin();
  return {
    req,
    take: () => copy.take()?.toString(),
    send: (...chunks: string[]) => {
      for (const chunk of chunks) req.emit('data', Buffer.from(chunk));
    },
  };
}

describe('the copy of a body', () => {
  it('shares nothing with the chunks that go on', () => {
    const { req, take } = begun(bodyCopies(MOST));
    const chunk = Buffer.from('kept');
    req.emit('data', chunk);
    chunk.fill('x');
    assert.equal(take(), 'kept');
  });

  it('counts against all others, and no longer once it is taken or given up', () => {
    const copies = bodyCopies(2 * MOST);
    const [first, second, third] = [begun(copies), begun(copies), begun(copies)];
    first.send('x'.repeat(MOST));
    second.send('x'.repeat(MOST));
    third.send('x');
    assert.equal(third.take(), undefined);
    first.take();
    second.send('y');
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [begun(copies), begun(copies)];
      one.send('x'.repeat(MOST));
      other.send('x'.repeat(MOST));
      assert.deepEqual([one.take()?.length, other.take()?.length], [MOST, MOST]);
    }
  });

  it('takes room for what has arrived, not for what was announced', () => {
    const copies = bodyCopies(MOST);
    const slow = Array.from({ length: 32 }, () => begun(copies, { 'content-length': '65536' }));
    for (const { send } of slow) send('x');
    const honest = begun(copies);
    honest.send('x'.repeat(16_384));
    assert.equal(honest.take()?.length, 16_384);
  });
});
