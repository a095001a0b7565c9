import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type ProxyProcess, startProxyProcess } from '../support/proxy-process.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { answer, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

const MEBIBYTE = 1024 * 1024;
const LARGE = 256 * MEBIBYTE;
/** Far less than a body, and as much as a collector leaves lying that a busy machine holds up. */
const GROWTH = 96 * MEBIBYTE;
/** On a busy machine a hundred answers begin within it. */
const TIMEOUT_MS = 3000;

describe('bodies that stream through the proxies', () => {
  let upstream: RawUpstream;
  let proxy: ProxyProcess;
  let handler: RawHandler;

  before(async () => {
    upstream = await startRawUpstream((request, socket) => handler(request, socket), { keepBodies: false });
    proxy = await startProxyProcess(upstream.url, TIMEOUT_MS);
  });
  after(async () => {
    await proxy.close();
    await upstream.close();
  });

  const block = Buffer.alloc(64 * 1024, 'streaming ');
  /** Writes `size` bytes at the reader's throughput, framed as `chunked` or bare. */
  const pour = async (socket: Socket, size: number, framed: boolean): Promise<void> => {
    const piece = framed
      ? Buffer.concat([Buffer.from(`${block.length.toString(16)}\r\n`), block, Buffer.from('\r\n')])
      : block;
    for (let sent = 0; sent < size; sent += block.length) if (!socket.write(piece)) await once(socket, 'drain');
    if (framed) socket.write('0\r\n\r\n');
  };
  /** Bytes and digest of what arrives until `size`, without holding it. */
  const drain = (connection: RawConnection, size: number): Promise<string> =>
    new Promise((resolve) => {
      const hash = createHash('sha1');
      let bytes = 0;
      const count = (chunk: Buffer): void => {
        hash.update(chunk);
        bytes += chunk.length;
        if (bytes >= size) resolve(hash.digest('hex'));
      };
      connection.redirect(count);
    });
  const digest = (size: number): string => {
    const hash = createHash('sha1');
    for (let sent = 0; sent < size; sent += block.length) hash.update(block);
    return hash.digest('hex');
  };

  async function grows(work: () => Promise<void>): Promise<number> {
    const resting = await proxy.restingBytes();
    await work();
    return (await proxy.peakBytes()) - resting;
  }

  it('256 MiB down arrive byte for byte, and the process grows by less than 96 MiB', async () => {
    handler = (request, socket) => {
      const size = Number(request.target.slice(1));
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      return pour(socket, size, false);
    };
    const download = async (size: number): Promise<void> => {
      const connection = await RawConnection.open(proxy.port);
      connection.write(head(`GET /api/identity/${size}`));
      await connection.headOnly();
      assert.equal(await drain(connection, size), digest(size));
      connection.close();
    };
    await download(16 * MEBIBYTE);
    const growth = await grows(() => download(LARGE));
    assert.ok(growth < GROWTH, `grew by ${Math.round(growth / MEBIBYTE)} MiB`);
  });

  for (const framed of [false, true])
    it(`256 MiB up, ${framed ? 'chunked' : 'sized'}, arrive whole, and the process grows by less than 96 MiB`, async () => {
      handler = async (request, socket) => {
        await request.body;
        socket.write(answer('200 OK', [], String(request.received)));
      };
      const upload = async (size: number): Promise<void> => {
        const connection = await RawConnection.open(proxy.port);
        const framing = framed ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`;
        connection.write(head('PUT /api/identity/x', [framing]));
        await pour(connection.socket, size, framed);
        assert.equal((await connection.answer()).body.toString(), String(size));
        connection.close();
      };
      await upload(16 * MEBIBYTE);
      const growth = await grows(() => upload(LARGE));
      assert.ok(growth < GROWTH, `grew by ${Math.round(growth / MEBIBYTE)} MiB`);
    });

  it('120 slow downloads at once, each longer than the time limit: all arrive whole', async () => {
    const pieces = 8;
    handler = async (_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${pieces * 10_000}\r\n\r\n`);
      for (let piece = 0; piece < pieces; piece += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1.2 * (TIMEOUT_MS / pieces)));
        socket.write(Buffer.alloc(10_000, String(piece)));
      }
    };
    const growth = await grows(async () => {
      await Promise.all(
        Array.from({ length: 120 }, async () => {
          const connection = await RawConnection.open(proxy.port);
          connection.write(head('GET /api/identity/slow'));
          const result = await connection.answer();
          assert.equal(result.status, 200);
          assert.equal(result.body.length, pieces * 10_000);
          assert.ok(result.complete);
          connection.close();
        }),
      );
    });
    assert.ok(growth < GROWTH, `grew by ${Math.round(growth / MEBIBYTE)} MiB`);
  });

  it('a slow upload longer than the time limit arrives whole', async () => {
    handler = async (request, socket) => {
      await request.body;
      socket.write(answer('200 OK', [], String(request.received)));
    };
    const connection = await RawConnection.open(proxy.port);
    connection.write(head('POST /api/identity/x', ['Content-Length: 12']));
    for (let piece = 0; piece < 6; piece += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1.2 * (TIMEOUT_MS / 6)));
      connection.write('ab');
    }
    assert.equal((await connection.answer()).body.toString(), '12');
    connection.close();
  });

  it('what a caller does not read is not fetched: the upstream stops, and so does an uploader', async () => {
    let produced = 0;
    let stalled: Socket | undefined;
    handler = async (request, socket) => {
      if (request.method === 'PUT') stalled = socket.pause();
      if (stalled !== undefined) return;
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const piece = Buffer.concat([Buffer.from('10000\r\n'), block, Buffer.from('\r\n')]);
      while (!socket.destroyed && produced < 400 * MEBIBYTE) {
        produced += block.length;
        if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
      }
    };
    const reader = await RawConnection.open(proxy.port);
    reader.write(head('GET /api/identity/x'));
    await reader.until(() => reader.pendingBytes > 0);
    reader.socket.pause();
    const growth = await grows(() => new Promise((resolve) => setTimeout(resolve, 700)));
    assert.ok(produced < 64 * MEBIBYTE, `${produced} bytes produced`);
    assert.ok(growth < GROWTH);
    reader.close();

    const writer = await RawConnection.open(proxy.port);
    writer.write(head('PUT /api/identity/x', [`Content-Length: ${400 * MEBIBYTE}`]));
    pour(writer.socket, 400 * MEBIBYTE, false).catch(() => {});
    const refusal = await writer.answer();
    assert.equal(refusal.status, 504, 'an upstream that takes nothing does not answer in time');
    writer.close();
    stalled?.resume();
    await upstream.idle();
  });
});
