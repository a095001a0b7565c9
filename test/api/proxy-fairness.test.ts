import assert from 'node:assert/strict';
import { eventually, until } from '../support/eventually.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection, type RawResponse, sendRaw } from '../support/raw-client.ts';
import { type RawHandler, type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

/** After which a side that transfers less than 30 KiB has failed. */
const SLOW_MS = 30_000;
/** More than the time after which others may have a caller's connection; three times that is less than what ends it. */
const STALLED_MS = 2_500;
const CONNECTIONS = 128;

describe('callers that are slow on purpose', () => {
  let upstream: RawUpstream;
  let handler: RawHandler;
  let app: ProxyApp;
  let slow: RawConnection[];

  beforeEach(async () => {
    slow = [];
    handler = async (request, socket) => {
      await request.body.catch(() => {});
      if (!socket.destroyed) socket.write(rawResponse('200 OK', [], String(request.received)));
    };
    upstream = await startRawUpstream((request, socket) => handler(request, socket), { keepBodies: false });
    app = await startProxyApp(
      { identity: upstream.url },
      // Callers are told apart by a header.
      { shareKey: (req) => String(req.headers['x-caller'] ?? 'anybody') },
    );
  });
  afterEach(async () => {
    for (const connection of slow) connection.close();
    await app.close();
    await upstream.close();
  });

  async function open(bytes: string): Promise<RawConnection> {
    const connection = await RawConnection.open(app.port);
    connection.write(bytes);
    slow.push(connection);
    return connection;
  }
  const dribble = (caller: string): Promise<RawConnection> =>
    open(`${head('POST /api/identity/x', [`X-Caller: ${caller}`, 'Content-Length: 1000000'])}x`);
  const dribbles = async (caller: string, count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, () => dribble(caller)));
    // So many take a slow machine long.
    await eventually(() => upstream.open() >= Math.min(count, CONNECTIONS), true, undefined, 50_000);
  };
  const get = (caller: string): Promise<RawResponse> =>
    sendRaw(app.port, head('GET /api/identity/y', [`X-Caller: ${caller}`]));
  const assertServed = async (callers: readonly string[]): Promise<void> => {
    const served = await Promise.all(callers.map(get));
    assert.deepEqual(new Set(served.map(({ status }) => status)), new Set([200]));
  };

  it('140 dribbled uploads of one caller: 20 others are served all the same, again and again', async () => {
    await dribbles('attacker', 140);
    for (let round = 0; round < 3; round += 1) {
      app.pass(STALLED_MS);
      await assertServed(Array.from({ length: 20 }, (_, index) => `other-${index}`));
    }
  });

  it('dribbled uploads and answers that are never read end, although nobody else asks', async () => {
    handler = (request, socket) => {
      if (request.method === 'GET') socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n`);
      if (request.method === 'GET') socket.write(Buffer.alloc(100_000_000));
    };
    await dribbles('attacker', 5);
    for (let index = 0; index < 5; index += 1) {
      const connection = await open(head('GET /api/identity/large', ['X-Caller: attacker']));
      await connection.headOnly();
      connection.socket.pause();
    }
    assert.equal(upstream.open(), 10);
    await until(() => {
      app.pass(SLOW_MS);
      return upstream.open() === 0;
    });
  });

  it('a caller who gets no connection within the time limit is told to come back', async () => {
    await app.close();
    app = await startProxyApp({ identity: upstream.url }, { timeoutMs: 100, shareKey: () => 'one' });
    await dribbles('one', CONNECTIONS);
    for (const result of await Promise.all(Array.from({ length: 20 }, () => get('x')))) {
      assert.equal(result.status, 503);
      assert.equal(JSON.parse(result.body.toString()).error, 'service_unavailable');
      assert.match(result.header('retry-after')[0] ?? '', /^\d+$/);
    }
  });

  it('an upstream that dribbles its answer is cut off although it is never silent', async () => {
    handler = (_request, socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx');
    const caller = await open(head('GET /api/identity/x'));
    await caller.until(() => caller.pending.endsWith('x'));
    app.pass(SLOW_MS + 500);
    const result = await caller.response();
    assert.deepEqual([result.status, result.complete], [200, false]);
    await upstream.idle();
  });
});
