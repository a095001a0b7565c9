import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { listenForMetrics } from '../../server/process/metrics-listener.ts';
import { eventually } from '../support/eventually.ts';

describe('the metrics listener', () => {
  const log = { warn: assert.fail };
  let read = 0;
  let ready = false;
  const metrics = {
    contentType: 'text/plain',
    page: async () => {
      read += 1;
      return 'x'.repeat(1_000_000);
    },
  };
  const listen = (connectionMs?: number) =>
    listenForMetrics(metrics, {
      host: '127.0.0.1',
      port: 0,
      isReady: () => ready,
      log,
      ...(connectionMs && { connectionMs }),
    });
  async function unread(port: number, text: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }
  const REQUEST = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';

  it('reads them once for a thousand pipelined requests, and once for all who ask at the same time', async () => {
    const listener = await listen();
    read = 0;
    try {
      const socket = await unread(listener.port, REQUEST.repeat(1_000));
      await eventually(() => read > 0, true);
      const all = await Promise.all(
        Array.from({ length: 8 }, async () => (await fetch(`http://127.0.0.1:${listener.port}/metrics`)).text()),
      );
      assert.ok(all.every((page) => page.length === 1_000_000));
      assert.ok(read <= 9, `${read}`);
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.resume();
      await once(socket, 'close');
      assert.equal(received.match(/HTTP\/1\.1 200 /g)?.length, 1);
    } finally {
      listener.close();
    }
  });

  it('answers the probes too, and nothing else of the service', async () => {
    const listener = await listen();
    const statusFor = async (path: string) => (await fetch(`http://127.0.0.1:${listener.port}${path}`)).status;
    try {
      assert.equal(await statusFor('/api/health?probe=live'), 200);
      assert.equal(await statusFor('/api/health?probe=ready'), 503);
      ready = true;
      assert.equal(await statusFor('/api/health?probe=ready'), 200);
      for (const path of ['/api/health', '/api/health?probe=other', '/'])
        assert.equal(await statusFor(path), 404, path);
    } finally {
      listener.close();
    }
  });

  // Node itself would end the first two after ten seconds each.
  it('ends a connection in time, whatever its other end does', async () => {
    const listener = await listen(200);
    try {
      for (const text of ['', 'GET /met', REQUEST, REQUEST.repeat(100)]) {
        const socket = await unread(listener.port, text);
        socket.resume();
        await once(socket, 'close');
      }
      const sockets = await Promise.all(Array.from({ length: 16 }, () => unread(listener.port, REQUEST)));
      // All places are taken until then.
      await eventually(async () => {
        const response = await fetch(`http://127.0.0.1:${listener.port}/metrics`).catch(() => undefined);
        return response?.status;
      }, 200);
      for (const socket of sockets) socket.destroy();
    } finally {
      listener.close();
    }
  }).timeout(19_000);
});
