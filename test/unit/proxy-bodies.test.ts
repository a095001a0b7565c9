import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { bufferUntilRecorded } from '../../server/upstream/proxy/body.ts';
import type { ProxiedRequest } from '../../server/upstream/proxy/proxied-request.ts';
import { streamBody } from '../../server/upstream/proxy/response.ts';

const IN_ALL = 16 * 1_048_576;
const CHUNK = Buffer.alloc(16_384, 'x');

describe('bodies that are held back', () => {
  /** A response with room for so many chunks. */
  function responseWith(room: number) {
    const written: Buffer[] = [];
    const res = Object.assign(new EventEmitter(), {
      ended: false,
      write: (chunk: Buffer) => written.push(chunk) < room,
      end: () => {
        res.ended = true;
      },
    });
    return {
      written,
      res,
      held: (hold: ReturnType<typeof bufferUntilRecorded>, ready: Promise<void>) =>
        hold(res as unknown as ServerResponse, ready),
    };
  }
  /** Not ready until it is told. */
  function later(): { ready: Promise<void>; now: () => Promise<void> } {
    let resolve = (): void => {};
    const ready = new Promise<void>((done) => {
      resolve = done;
    });
    return {
      ready,
      now: () => {
        resolve();
        return ready;
      },
    };
  }

  it('take 64 KiB in, and go on when the response takes more', async () => {
    const { written, res, held } = responseWith(5);
    const { ready, now } = later();
    const writer = held(bufferUntilRecorded(IN_ALL), ready);
    let resumed = 0;
    assert.deepEqual(
      [1, 2, 3, 4].map(() => writer.write(CHUNK)),
      [true, true, true, false],
    );
    writer.once('drain', () => (resumed += 1));
    assert.equal(written.length, 0);
    await now();
    assert.deepEqual([written.length, resumed], [4, 1]);
    assert.equal(writer.write(CHUNK), false);
    writer.once('drain', () => (resumed += 1));
    res.emit('drain');
    assert.equal(resumed, 2);
    writer.end();
    assert.ok(res.ended);
  });

  it('are 16 MiB together at most, whatever becomes of them', async () => {
    const hold = bufferUntilRecorded(IN_ALL);
    const bodies = Array.from({ length: 400 }, () => {
      const { res, held } = responseWith(9);
      const { ready, now } = later();
      return { res, now, writer: held(hold, ready) };
    });
    const taken = (): number =>
      bodies.filter(({ writer }) => writer.write(CHUNK) && writer.write(CHUNK) && writer.write(CHUNK)).length;
    assert.ok(taken() < 350, 'the last ones find no room');
    for (const [index, { res, now }] of bodies.entries()) {
      if (index % 2 === 0) res.emit('close');
      await now();
    }
    const { held } = responseWith(9);
    const writer = held(hold, later().ready);
    assert.deepEqual(
      [1, 2, 3, 4].map(() => writer.write(CHUNK)),
      [true, true, true, false],
      'there is room again',
    );
  });
});

describe('the head of a response', () => {
  it('is sent by itself only if no byte of the body has come with it', async () => {
    const acts = async (atOnce: boolean): Promise<string[]> => {
      const done: string[] = [];
      const response = new PassThrough();
      const res = new EventEmitter() as unknown as ServerResponse;
      const writer = {
        write: () => done.push('write') > 0,
        end: () => void done.push('end'),
        once: assert.fail,
        flushHeaders: () => void done.push('head'),
      };
      const request = { onTimeout() {}, resetTimer() {}, finished() {} } as unknown as ProxiedRequest;
      streamBody(response as unknown as IncomingMessage, res, writer, Number.NaN, request, () => assert.fail());
      if (atOnce) response.write('a');
      await turn();
      response.end('b');
      await once(response, 'end');
      return done;
    };
    assert.deepEqual(await acts(true), ['write', 'write', 'end']);
    assert.deepEqual(await acts(false), ['head', 'write', 'end']);
  });
});
