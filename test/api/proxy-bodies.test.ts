import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { until } from '../support/eventually.ts';
import { proxiesOfTest, startProxyApp } from '../support/proxy-app.ts';
import { chunkedBody, RawConnection, requestHead, sendRaw } from '../support/raw-client.ts';
import { echoRequest, rawResponse } from '../support/raw-upstream.ts';

const MEBIBYTE = 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** A body that is itself a request: a proxy that mistakes where a body ends would forward it as a second one. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
const CHUNKED_POST = requestHead('POST /api/identity/x', ['Transfer-Encoding: chunked']);

describe('the body of a request through the proxies', () => {
  const { upstream, open, send } = proxiesOfTest();

  // HTTP libraries differ in how they send a GET or a DELETE with a body.
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE'])
    for (const [framing, sent] of [
      ['Transfer-Encoding: chunked', chunkedBody(SMUGGLED, 'end')],
      [`Content-Length: ${SMUGGLED.length}`, SMUGGLED],
    ] as const)
      it(`keeps its framing in a ${method} with ${framing}, and is never parsed as a second request`, async () => {
        const connection = await open(
          requestHead(`${method} /api/identity/first`, [framing]) + sent + requestHead('GET /api/identity/second'),
        );
        assert.equal((await connection.response(method)).status, 200);
        assert.equal(JSON.parse((await connection.response()).body.toString()).url, '/second');
        const [first, second, ...others] = upstream.requests;
        assert.deepEqual([first?.target, second?.target, others], ['/first', '/second', []]);
        const lines = ['Transfer-Encoding', 'Content-Length'].flatMap((name) =>
          (first?.header(name) ?? []).map((value) => `${name}: ${value}`),
        );
        assert.deepEqual(lines, [framing]);
        assert.equal((await first?.body)?.toString('latin1'), sent === SMUGGLED ? SMUGGLED : `${SMUGGLED}end`);
      });

  it('is requested with 100 Continue if the caller expects that, and the upstream receives no Expect', async () => {
    const connection = await open(requestHead('PUT /api/identity/x', ['Content-Length: 4', 'Expect: 100-continue']));
    await connection.until(() => connection.pending.startsWith('HTTP/1.1 100 '));
    connection.write('body');
    assert.equal(JSON.parse((await connection.response()).body.toString()).body, 'body');
    assert.deepEqual(upstream.requests.at(-1)?.header('expect'), []);
  });

  const ambiguous: Record<string, string> = {
    'a Content-Length and a Transfer-Encoding':
      requestHead('POST /api/identity/x', ['Content-Length: 4', 'Transfer-Encoding: chunked']) + chunkedBody(SMUGGLED),
    'a folded header':
      requestHead('POST /api/identity/x', ['X-A: b', ' Transfer-Encoding: chunked']) + chunkedBody(SMUGGLED),
    'a space before the colon of Transfer-Encoding':
      requestHead('POST /api/identity/x', ['Transfer-Encoding : chunked']) + chunkedBody(SMUGGLED),
    'a chunk longer than its size': `${CHUNKED_POST}2\r\nbody\r\n0\r\n\r\n`,
    'a Content-Length among the trailers': `${CHUNKED_POST}4\r\nbody\r\n0\r\nContent-Length: 3\r\n\r\n`,
  };
  for (const [what, request] of Object.entries(ambiguous))
    it(`with ambiguous framing (${what}) is refused with 400 and never forwarded in full`, async () => {
      const connection = await open(request);
      const response = await connection.response();
      assert.equal(response.status, 400);
      assert.equal(JSON.parse(response.body.toString()).error, 'bad_request');
      await connection.untilClosed();
      // A malformed chunk is found after the head was forwarded, but the upstream never receives the end of the body.
      for (const request of upstream.requests) {
        assert.equal(request.target, '/x');
        await assert.rejects(request.body);
      }
      assert.ok(upstream.requests.length <= 1);
    });

  it('is forwarded without chunk extensions and trailers', async () => {
    const body = `4;ext="a b";y=z\r\nbody\r\n0;x\r\nX-Trailer: 1\r\n\r\n`;
    const response = await send('POST /api/identity/x', ['Transfer-Encoding: chunked', 'Trailer: X-Trailer'], body);
    const { headers, body: received } = JSON.parse(response.body.toString());
    assert.equal(received, 'body');
    assert.ok(!JSON.stringify(headers).includes('railer'));
  });
});

describe('the body of a response through the proxies', () => {
  const proxies = proxiesOfTest();
  const { open, send } = proxies;

  const bodiless: [method: string, status: string, header: string, length: string[]][] = [
    // A 204 must not have a Content-Length, either (RFC 9110, section 8.6).
    ['GET', '204 No Content', 'Content-Length: 0', []],
    ['GET', '304 Not Modified', 'ETag: "x"', []],
    ['HEAD', '200 OK', 'Content-Length: 12345', ['12345']],
  ];
  for (const [method, status, header, length] of bodiless)
    it(`is absent if the response to ${method} is ${status} with ${header}, and the connection remains usable`, async () => {
      proxies.handler = (request, socket) => {
        if (request.target === '/next') return echoRequest(request, socket);
        socket.write(`HTTP/1.1 ${status}\r\n${header}\r\n\r\n`);
      };
      const connection = await open(requestHead(`${method} /api/identity/x`) + requestHead('GET /api/identity/next'));
      const first = await connection.response(method);
      assert.equal(first.status, Number(status.slice(0, 3)));
      assert.deepEqual(first.header('content-length'), length);
      assert.equal(JSON.parse((await connection.response()).body.toString()).url, '/next');
    });

  it('is forwarded chunk by chunk, without extensions and trailers, and the headers do not wait for it', async () => {
    let write = (_text: string): void => {};
    proxies.handler = (_request, socket) => {
      write = (text) => void socket.write(text);
      write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    };
    const connection = await open(requestHead('GET /api/identity/x'));
    await connection.until(() => connection.pending.endsWith('\r\n\r\n'));
    write('3;x=y\r\none\r\n');
    await connection.until(() => connection.pending.includes('one\r\n'));
    write('3\r\ntwo\r\n0\r\nX-Trailer: 1\r\n\r\n');
    const response = await connection.response();
    assert.deepEqual(response.header('transfer-encoding'), ['chunked']);
    assert.equal(response.body.toString(), 'onetwo');
    assert.equal(connection.pending, '');
  });

  it('arrives in full over HTTP/1.1 and HTTP/1.0 if the upstream ends it by closing the connection', async () => {
    proxies.handler = (_request, socket) =>
      socket.end('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end');
    const modern = await send('GET /api/identity/x');
    assert.equal(modern.body.toString(), 'until the end');
    assert.ok(modern.complete);
    const old = await sendRaw(proxies.app.port, 'GET /api/identity/x HTTP/1.0\r\nHost: localhost\r\n\r\n');
    assert.deepEqual(old.header('transfer-encoding'), []);
    assert.equal(old.body.toString(), 'until the end');
    assert.ok(old.complete);
  });
});

describe('a large body through the proxies', () => {
  const proxies = proxiesOfTest({ timeoutMs: TIMEOUT_MS });
  const { upstream, open } = proxies;
  /** The latest request that the proxies have received, and their response. */
  let proxied: { req: IncomingMessage; res: ServerResponse } | undefined;
  beforeEach(() => {
    proxied = undefined;
    proxies.app.server.on('request', (req, res) => {
      proxied = { req, res };
    });
  });

  const block = Buffer.alloc(64 * 1024, 'streaming ');
  const bodyOf = (size: number): Buffer => Buffer.alloc(size, block);
  const digest = (body: Buffer): string => createHash('sha1').update(body).digest('hex');
  /** Writes as fast as the other side reads. @returns how many bytes have been written so far */
  function pour(socket: Socket, size: number, bytes: Buffer = block): () => number {
    let written = 0;
    const more = (): void => {
      while (written < size) {
        written += bytes.length;
        if (!socket.write(bytes)) return void socket.once('drain', more);
      }
    };
    more();
    return () => written;
  }

  for (const framing of ['Content-Length', 'Transfer-Encoding'])
    it(`with ${framing} reaches the upstream byte for byte`, async () => {
      const body = bodyOf(16 * MEBIBYTE);
      proxies.handler = async (request, socket) => socket.write(rawResponse('200 OK', [], digest(await request.body)));
      const caller = await open();
      if (framing === 'Content-Length') {
        caller.write(requestHead('PUT /api/identity/x', [`Content-Length: ${body.length}`]));
        caller.write(body);
      } else {
        caller.write(requestHead('PUT /api/identity/x', ['Transfer-Encoding: chunked']));
        for (let start = 0; start < body.length; start += MEBIBYTE) {
          caller.write('100000\r\n');
          caller.write(body.subarray(start, start + MEBIBYTE));
          caller.write('\r\n');
        }
        caller.write('0\r\n\r\n');
      }
      assert.equal((await caller.response()).body.toString(), digest(body));
    });

  it('is read from the upstream only as fast as the client reads, however slowly', async () => {
    const size = 32 * MEBIBYTE;
    let sent = (): number => 0;
    proxies.handler = (_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      sent = pour(socket, size);
    };
    const caller = await open();
    // Pauses at the first data: otherwise the client would continue to read.
    caller.socket.once('data', () => caller.socket.pause());
    caller.write(requestHead('GET /api/identity/x'));
    await until(() => proxied?.res.writableNeedDrain === true && caller.pendingBytes > 0);
    proxies.app.passTime(2 * TIMEOUT_MS);
    assert.ok(sent() < size, `the upstream sent ${sent()} bytes to a client that reads nothing`);
    caller.socket.resume();
    const { complete, body } = await caller.response();
    assert.ok(complete);
    assert.equal(digest(body), digest(bodyOf(size)));
  });

  it('is not sent on once an error responds to it, whose own body may follow later', async () => {
    let finish = (): void => {};
    proxies.handler = (_request, socket) => {
      socket.write('HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{');
      finish = () => socket.write('}');
    };
    const caller = await open(requestHead('PUT /api/identity/x', [`Content-Length: ${64 * MEBIBYTE}`]));
    const sent = pour(caller.socket, 64 * MEBIBYTE);
    await until(() => sent() === 64 * MEBIBYTE);
    finish();
    const { status, body } = await caller.response();
    assert.deepEqual([status, body.toString()], [400, '{}']);
    assert.ok((upstream.requests[0]?.received ?? 0) < 32 * MEBIBYTE);
  });

  for (const ending of ['end', 'destroySoon'])
    it(`does not prevent a caller from getting an early 413, also of an upstream that calls ${ending}()`, async () => {
      // In another thread, since the upstream must respond while the proxy writes.
      const worker = new Worker(
        `const { parentPort, workerData: [response, ending] } = require('node:worker_threads');
        require('node:net').createServer({ noDelay: true }, (socket) => {
          socket.on('error', () => {}).once('data', () => socket.write(response) && socket[ending]());
        }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });`,
        { eval: true, workerData: [rawResponse('413 Content Too Large', ['Connection: close'], 'too long'), ending] },
      );
      const [port] = await once(worker, 'message');
      const refusing = await startProxyApp({ identity: `http://127.0.0.1:${port}` }, { timeoutMs: TIMEOUT_MS });
      const send = async (framing: string, bytes: Buffer): Promise<boolean> => {
        const caller = await RawConnection.open(refusing.port);
        caller.write(requestHead('PUT /api/identity/x', [framing]));
        pour(caller.socket, 64 * MEBIBYTE, bytes);
        const { status, complete } = await caller.response();
        caller.close();
        return status === 413 && complete;
      };
      const chunks = Buffer.from(`400\r\n${'x'.repeat(1_024)}\r\n`.repeat(64));
      for (const [framing, bytes] of [
        [`Content-Length: ${64 * MEBIBYTE}`, block],
        ['Transfer-Encoding: chunked', chunks],
      ] as const) {
        const outcomes = await Promise.all(Array.from({ length: 16 }, () => send(framing, bytes)));
        // The kernel may drop what it has received from an upstream that closes the connection without reading; on a
        // busy machine it does so more often.
        assert.ok(outcomes.filter(Boolean).length >= (ending === 'end' ? 16 : 8), `${framing} ${outcomes}`);
      }
      await refusing.close();
      await worker.terminate();
    });

  it('is read from the client only as fast as the upstream reads, and fails with 504 if that is too slow', async () => {
    const size = 64 * MEBIBYTE;
    let paused: Socket | undefined;
    proxies.handler = (_request, socket) => {
      paused = socket.pause();
    };
    const caller = await open(requestHead('PUT /api/identity/x', [`Content-Length: ${size}`]));
    const sent = pour(caller.socket, size);
    await until(() => paused !== undefined && proxied?.req.isPaused() === true);
    assert.ok(sent() < size, `${sent()} bytes read for an upstream that reads nothing`);
    await until(() => {
      proxies.app.passTime(TIMEOUT_MS);
      return caller.pending.startsWith('HTTP/1.1 504 ');
    });
    paused?.destroy();
    await upstream.untilIdle();
  });
});
