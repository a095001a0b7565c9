import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { largeOrSmall } from '../support/attacks.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { ask, head, type RawAnswer, RawConnection } from '../support/raw-client.ts';
import { answer, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

const MIN_THROUGHPUT = { bytes: 30 * 1024, ms: 2_000 };

describe('callers that are slow on purpose', () => {
  let upstream: RawUpstream;
  let handler: RawHandler;
  let app: ProxyApp;
  let slow: Socket[];

  beforeEach(async () => {
    slow = [];
    handler = largeOrSmall;
    upstream = await startRawUpstream((request, socket) => handler(request, socket), { keepBodies: false });
    app = await startProxyApp(
      { identity: upstream.url },
      // Callers are told apart by a header.
      { timeoutMs: 5_000, throughput: MIN_THROUGHPUT, shareKey: (req) => String(req.headers['x-caller'] ?? 'anybody') },
    );
  });
  afterEach(async () => {
    for (const socket of slow) socket.destroy();
    await app.close();
    await upstream.close();
  });

  const open = async (bytes: string): Promise<Socket> => {
    const socket = connect(app.port, '127.0.0.1').pause();
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(bytes);
    slow.push(socket);
    return socket;
  };
  const dribble = async (caller: string): Promise<void> => {
    const socket = await open(head('POST /api/identity/x', [`X-Caller: ${caller}`, 'Content-Length: 1000000']));
    const timer = setInterval(() => socket.write('x'), 100);
    socket.once('close', () => clearInterval(timer));
  };
  const neverRead = (caller: string): Promise<Socket> => open(head('GET /api/identity/large', [`X-Caller: ${caller}`]));
  const get = (caller: string): Promise<RawAnswer> =>
    ask(app.port, head('GET /api/identity/y', [`X-Caller: ${caller}`]));

  const attacks: Record<string, (caller: string) => Promise<unknown>> = {
    'dribbled uploads': dribble,
    'answers that are never read': neverRead,
  };
  it('140 dribbled uploads of one caller: 20 others are served all the same, again and again', async () => {
    await Promise.all(Array.from({ length: 140 }, () => dribble('attacker')));
    // On a busy machine the first are cut off before the last are there.
    while (upstream.open() < 128 && upstream.requests.length < 140) await sleep(10);
    for (let round = 0; round < 5; round += 1) {
      const served = await Promise.all(Array.from({ length: 20 }, (_, index) => get(`other-${index}`)));
      assert.deepEqual(new Set(served.map(({ status }) => status)), new Set([200]));
    }
  });

  for (const [what, attack] of Object.entries(attacks))
    it(`${what} end, although nobody else asks`, async () => {
      await Promise.all(Array.from({ length: 10 }, () => attack('attacker')));
      while (upstream.requests.length < 10) await sleep(10);
      await upstream.idle();
    });

  it('200 callers behind one address with 5 slow ones among them: the others are served', async () => {
    await Promise.all(Array.from({ length: 5 }, () => dribble('balancer')));
    const served = await Promise.all(Array.from({ length: 195 }, () => get('balancer')));
    assert.deepEqual(new Set(served.map(({ status }) => status)), new Set([200]));
  });

  it('a caller who gets no connection within the time limit is told to come back', async () => {
    await app.close();
    app = await startProxyApp({ identity: upstream.url }, { timeoutMs: 1_000, shareKey: () => 'one' });
    await Promise.all(Array.from({ length: 128 }, () => dribble('one')));
    while (upstream.open() < 128) await sleep(10);
    const asked = await Promise.all(Array.from({ length: 20 }, () => get('x')));
    const refused = asked.filter(({ status }) => status === 503);
    assert.equal(refused.length, 20);
    assert.equal(JSON.parse(refused[0]?.body.toString() ?? '').error, 'service_unavailable');
    assert.match(refused[0]?.header('retry-after')[0] ?? '', /^\d+$/);
  });

  it('an upstream that dribbles its answer, or hardly takes an upload, is cut off although it is never silent', async () => {
    handler = (request, socket) => {
      if (request.method === 'GET') socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      else socket.pause();
      const timer = setInterval(() => (request.method === 'GET' ? socket.write('x') : socket.read(1)), 100);
      socket.once('close', () => clearInterval(timer));
    };
    const result = await ask(app.port, head('GET /api/identity/x'));
    assert.equal(result.status, 200);
    assert.equal(result.complete, false);
    await upstream.idle();
  });

  it('a caller who moves enough is served however long it takes', async () => {
    handler = async (request, socket) => {
      await request.body;
      socket.write(answer('200 OK', [], String(request.received)));
    };
    const connection = await RawConnection.open(app.port);
    const pieces = 16;
    connection.write(head('POST /api/identity/x', [`Content-Length: ${pieces * 15_360}`]));
    for (let piece = 0; piece < pieces; piece += 1) {
      await sleep(300);
      connection.write('x'.repeat(15_360));
    }
    assert.equal((await connection.answer()).body.toString(), String(pieces * 15_360));
    connection.close();
  });
});
