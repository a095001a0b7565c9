import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { until } from '../support/eventually.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { type RawHandler, type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

const MEBIBYTE = 1024 * 1024;
const TIMEOUT_MS = 10_000;

describe('bodies that stream through the proxies', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let handler: RawHandler;
  /** The latest request that the proxies have received, and their response. */
  let proxied: { req: IncomingMessage; res: ServerResponse } | undefined;

  beforeEach(async () => {
    proxied = undefined;
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    app = await startProxyApp({ identity: upstream.url }, { timeoutMs: TIMEOUT_MS });
    app.server.on('request', (req, res) => {
      proxied = { req, res };
    });
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  const block = Buffer.alloc(64 * 1024, 'streaming ');
  const wholeOf = (size: number): Buffer => Buffer.alloc(size, block);
  const digest = (body: Buffer | undefined): string =>
    createHash('sha1')
      .update(body ?? '')
      .digest('hex');
  /** Writes as fast as the other side reads. @returns how many bytes have been written so far */
  function pour(socket: Socket, size: number): () => number {
    let written = 0;
    const more = (): void => {
      while (written < size) {
        written += block.length;
        if (!socket.write(block)) return void socket.once('drain', more);
      }
    };
    more();
    return () => written;
  }

  it('have their head sent before their first byte has come', async () => {
    let upstreams: Socket | undefined;
    handler = (_request, socket) => {
      upstreams = socket;
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    };
    const caller = await RawConnection.open(app.port);
    caller.write(head('GET /api/identity/x'));
    await caller.until(() => caller.pending.endsWith('\r\n\r\n'));
    upstreams?.write('4\r\nbody\r\n0\r\n\r\n');
    assert.equal((await caller.response()).body.toString(), 'body');
    caller.close();
  });

  for (const framing of ['sized', 'chunked'])
    it(`arrive byte for byte on the way up, ${framing}`, async () => {
      const body = wholeOf(16 * MEBIBYTE);
      handler = async (request, socket) => socket.write(rawResponse('200 OK', [], digest(await request.body)));
      const caller = await RawConnection.open(app.port);
      if (framing === 'sized') {
        caller.write(head('PUT /api/identity/x', [`Content-Length: ${body.length}`]));
        caller.write(body);
      } else {
        caller.write(head('PUT /api/identity/x', ['Transfer-Encoding: chunked']));
        for (let at = 0; at < body.length; at += MEBIBYTE) {
          caller.write('100000\r\n');
          caller.write(body.subarray(at, at + MEBIBYTE));
          caller.write('\r\n');
        }
        caller.write('0\r\n\r\n');
      }
      assert.equal((await caller.response()).body.toString(), digest(body));
      caller.close();
    });

  it('are not read from the upstream before the client reads, however long that takes', async () => {
    const size = 32 * MEBIBYTE;
    let sent = (): number => 0;
    handler = (_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      sent = pour(socket, size);
    };
    const caller = await RawConnection.open(app.port);
    // Within the same turn: what it reads before that is not held back.
    caller.socket.once('data', () => caller.socket.pause());
    caller.write(head('GET /api/identity/x'));
    await until(() => proxied?.res.writableNeedDrain === true && caller.pendingBytes > 0);
    app.pass(2 * TIMEOUT_MS);
    assert.ok(sent() < size, `the upstream produced ${sent()} bytes for a caller that reads nothing`);
    caller.socket.resume();
    const { complete, body } = await caller.response();
    assert.ok(complete);
    assert.equal(digest(body), digest(wholeOf(size)));
    caller.close();
  });

  it('are not read from the client before the upstream reads, which has to do so in time', async () => {
    const size = 64 * MEBIBYTE;
    let begun: Socket | undefined;
    handler = (_request, socket) => {
      begun = socket.pause();
    };
    const caller = await RawConnection.open(app.port);
    caller.write(head('PUT /api/identity/x', [`Content-Length: ${size}`]));
    const sent = pour(caller.socket, size);
    await until(() => begun !== undefined && proxied?.req.isPaused() === true);
    assert.ok(sent() < size, `${sent()} bytes taken for an upstream that reads nothing`);
    await until(() => {
      app.pass(TIMEOUT_MS);
      return caller.pending.startsWith('HTTP/1.1 504 ');
    });
    caller.close();
    begun?.destroy();
    await upstream.idle();
  });
});
