import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProxyProcess, startProxyProcess } from '../support/proxy-app.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { answer, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

const MEBIBYTE = 1024 * 1024;
const LARGE = 256 * MEBIBYTE;
/** Far less than a body, and as much as a collector leaves lying that a busy machine holds up. */
const GROWTH = 96 * MEBIBYTE;

describe('the memory of the proxies', () => {
  let upstream: RawUpstream;
  let proxy: ProxyProcess;
  let handler: RawHandler;

  before(async () => {
    upstream = await startRawUpstream((request, socket) => handler(request, socket), { keepBodies: false });
    proxy = await startProxyProcess(upstream.url);
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

  it('60,000 GETs sent ahead, none of which is answered soon, cost less than 48 MiB', async () => {
    handler = () => {};
    const resting = await proxy.restingBytes();
    const socket: Socket = connect(proxy.port, '127.0.0.1').pause();
    socket.on('error', () => {});
    await once(socket, 'connect');
    const batch = head('GET /api/identity/x').repeat(1000);
    let sent = 0;
    for (; sent < 60; sent += 1)
      if (!socket.write(batch) && (await Promise.race([once(socket, 'drain'), sleep(1000, 'full')])) === 'full') break;
    const growth = (await proxy.peakBytes()) - resting;
    socket.destroy();
    assert.ok(growth < 48 * MEBIBYTE, `grew by ${Math.round(growth / MEBIBYTE)} MiB after ${sent} thousand`);
  });
});
