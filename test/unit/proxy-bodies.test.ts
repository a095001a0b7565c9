import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { bodyCopies, bufferUntilRecorded } from '../../server/upstream/proxy/body.ts';
import type { ProxiedRequest } from '../../server/upstream/proxy/proxied-request.ts';
import { streamBody } from '../../server/upstream/proxy/response.ts';

describe('the copy of a request’s body', () => {
  const LIMIT = 65_536;

  /** A request whose body is being copied. */
  function copied(copies: ReturnType<typeof bodyCopies>, headers: IncomingMessage['headers'] = {}) {
    const req = Object.assign(new EventEmitter(), { headers });
    const copy = copies(req as unknown as IncomingMessage);
    copy.begin();
    return { req, take: () => copy.take()?.toString(), send: (text: string) => req.emit('data', Buffer.from(text)) };
  }

  it('shares no memory with the chunks that are forwarded', () => {
    const { req, take } = copied(bodyCopies(LIMIT));
    const chunk = Buffer.from('text');
    req.emit('data', chunk);
    chunk.fill('x');
    assert.equal(take(), 'text');
  });

  it('counts towards the limit of all copies until it is taken or dropped', () => {
    const copies = bodyCopies(2 * LIMIT);
    const [first, second, third] = [copied(copies), copied(copies), copied(copies)];
    first.send('x'.repeat(LIMIT));
    second.send('x'.repeat(LIMIT));
    third.send('x');
    assert.equal(third.take(), undefined);
    first.take();
    second.send('y');
    for (let round = 0; round < 5; round += 1) {
      const pair = [copied(copies), copied(copies)];
      for (const { send } of pair) send('x'.repeat(LIMIT));
      assert.deepEqual(
        pair.map(({ take }) => take()?.length),
        [LIMIT, LIMIT],
      );
    }
  });

  it('uses memory only for the bytes that have arrived, not for the announced length', () => {
    const copies = bodyCopies(LIMIT);
    for (let index = 0; index < 32; index += 1) copied(copies, { 'content-length': '65536' }).send('x');
    const honest = copied(copies);
    honest.send('x'.repeat(16_384));
    assert.equal(honest.take()?.length, 16_384);
  });
});

describe('the buffer of responses that are not recorded yet', () => {
  const LIMIT = 16 * 1_048_576;
  const CHUNK = Buffer.alloc(16_384, 'x');

  /** A response that accepts `room` chunks, and that the test records. */
  function response(buffer: ReturnType<typeof bufferUntilRecorded>, room: number) {
    const { promise: recorded, resolve: record } = Promise.withResolvers<void>();
    const written: Buffer[] = [];
    const res = Object.assign(new EventEmitter(), {
      ended: false,
      write: (chunk: Buffer) => written.push(chunk) < room,
      end: () => {
        res.ended = true;
      },
    });
    return {
      res,
      written,
      writer: buffer(res as unknown as ServerResponse, recorded),
      record: () => {
        record();
        return recorded;
      },
    };
  }
  const writeFour = (writer: ReturnType<typeof response>['writer']): boolean[] =>
    Array.from({ length: 4 }, () => writer.write(CHUNK));

  it('accepts 64 KiB of a body, and resumes the body when the response accepts more', async () => {
    const { res, written, writer, record } = response(bufferUntilRecorded(LIMIT), 5);
    let resumed = 0;
    assert.deepEqual(writeFour(writer), [true, true, true, false]);
    writer.once('drain', () => (resumed += 1));
    assert.equal(written.length, 0);
    await record();
    assert.deepEqual([written.length, resumed], [4, 1]);
    assert.equal(writer.write(CHUNK), false);
    writer.once('drain', () => (resumed += 1));
    res.emit('drain');
    assert.equal(resumed, 2);
    writer.end();
    assert.ok(res.ended);
  });

  it('accepts at most 16 MiB of all bodies together, and is empty once they are recorded or closed', async () => {
    const buffer = bufferUntilRecorded(LIMIT);
    const responses = Array.from({ length: 400 }, () => response(buffer, 9));
    const accepted = responses.filter(
      ({ writer }) => writer.write(CHUNK) && writer.write(CHUNK) && writer.write(CHUNK),
    ).length;
    assert.ok(accepted < 350, `${accepted} bodies of 48 KiB`);
    for (const [index, { res, record }] of responses.entries()) {
      if (index % 2 === 0) res.emit('close');
      await record();
    }
    assert.deepEqual(writeFour(response(buffer, 9).writer), [true, true, true, false]);
  });
});

describe('the head of a proxied response', () => {
  it('is sent separately only if no byte of the body has arrived with it', async () => {
    const calls = async (together: boolean): Promise<string[]> => {
      const done: string[] = [];
      const incoming = new PassThrough();
      const res = new EventEmitter() as unknown as ServerResponse;
      const writer = {
        write: () => done.push('write') > 0,
        end: () => void done.push('end'),
        once: assert.fail,
        flushHeaders: () => void done.push('head'),
      };
      const request = { onTimeout() {}, resetTimer() {}, finished() {} } as unknown as ProxiedRequest;
      streamBody(incoming as unknown as IncomingMessage, res, writer, Number.NaN, request, () => assert.fail());
      if (together) incoming.write('a');
      await turn();
      incoming.end('b');
      await once(incoming, 'end');
      return done;
    };
    assert.deepEqual(await calls(true), ['write', 'write', 'end']);
    assert.deepEqual(await calls(false), ['head', 'write', 'end']);
  });
});
