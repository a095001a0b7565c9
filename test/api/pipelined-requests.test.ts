import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { type ProxyProcess, startProxyProcess } from '../support/proxy-process.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { answer, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

const MEBIBYTE = 1024 * 1024;

describe('requests sent ahead of their answers on one connection', () => {
  let upstream: RawUpstream;
  let handler: RawHandler;
  let app: ProxyApp;

  beforeEach(async () => {
    handler = (request, socket) => socket.write(answer('200 OK', [], request.target));
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    app = await startProxyApp({ identity: upstream.url });
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  it('1,000 are all answered, in order', async () => {
    const connection = await RawConnection.open(app.port);
    connection.write(Array.from({ length: 1000 }, (_, index) => head(`GET /api/identity/${index}`)).join(''));
    for (let index = 0; index < 1000; index += 1)
      assert.equal((await connection.answer()).body.toString(), `/${index}`);
    connection.close();
  });

  it('bodies among them arrive where they belong', async () => {
    handler = async (request, socket) => void socket.write(answer('200 OK', [], (await request.body).toString()));
    const connection = await RawConnection.open(app.port);
    const bodies = Array.from({ length: 200 }, (_, index) => String(index).repeat(1 + (index % 50)));
    for (const body of bodies)
      connection.write(head('POST /api/identity/x', [`Content-Length: ${body.length}`]) + body);
    for (const body of bodies) assert.equal((await connection.answer()).body.toString(), body);
    connection.close();
  });

  it('those that wait are not passed on once the caller has gone', async () => {
    handler = () => {};
    const connection = await RawConnection.open(app.port);
    connection.write(Array.from({ length: 50 }, (_, index) => head(`GET /api/identity/${index}`)).join(''));
    while (upstream.requests.length === 0) await sleep(5);
    connection.close();
    await upstream.idle();
    assert.equal(upstream.requests.length, 1);
  });

  it('a caller who leaves behind a large answer that waits for its turn holds no connection to the upstream', async () => {
    handler = (request, socket) => {
      if (request.target === '/slow') return;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${64 * MEBIBYTE}\r\n\r\n`);
      socket.write(Buffer.alloc(4 * MEBIBYTE));
    };
    const connection = await RawConnection.open(app.port);
    connection.write(head('GET /api/identity/slow') + head('GET /api/identity/large'));
    while (upstream.requests.length === 0) await sleep(5);
    await sleep(50);
    connection.close();
    await upstream.idle();
  });

  describe('in a process of its own', () => {
    let proxy: ProxyProcess;
    let silent: RawUpstream;
    before(async () => {
      silent = await startRawUpstream(() => {});
      proxy = await startProxyProcess(silent.url, 5000);
    });
    after(async () => {
      await proxy.close();
      await silent.close();
    });

    it('60,000 GETs, none of which is answered soon, cost less than 48 MiB', async () => {
      const resting = await proxy.restingBytes();
      const socket: Socket = connect(proxy.port, '127.0.0.1').pause();
      socket.on('error', () => {});
      await once(socket, 'connect');
      const batch = head('GET /api/identity/x').repeat(1000);
      let sent = 0;
      for (; sent < 60; sent += 1)
        if (!socket.write(batch) && (await Promise.race([once(socket, 'drain'), sleep(1000, 'full')])) === 'full')
          break;
      const growth = (await proxy.peakBytes()) - resting;
      socket.destroy();
      assert.ok(growth < 48 * MEBIBYTE, `grew by ${Math.round(growth / MEBIBYTE)} MiB after ${sent} thousand`);
    });
  });
});
