import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';
import { openSockets, startServiceProcess } from '../support/processes.ts';
import { chunkedBody, requestHead } from '../support/raw-client.ts';
import { rawResponse, startRawUpstream } from '../support/raw-upstream.ts';
import { seededRandom } from '../support/seeded.ts';

/** `FUZZ_SECONDS=1800 npx mocha test/api/connection-fuzz.all.test.ts` fuzzes each side for half an hour. */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 8);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_101);
const STALL_MS = 30;
/** How many cases must run even on a slow machine. */
const MINIMUM = 500;
const AT_ONCE = 48;

const ENDINGS = ['reset', 'half-close', 'close', 'stall', 'stall unread'] as const;
type Ending = (typeof ENDINGS)[number];
interface Case {
  bytes: string;
  ending: Ending;
}

/** Requests of every kind that the service distinguishes. */
const REQUESTS: readonly string[] = [
  requestHead('GET /api/health'),
  requestHead('HEAD /api/identity/x'),
  requestHead('GET /api/identity/x?y=z', ['Cookie: a=b; dashboard-session=x.y']),
  `GET /api/identity/x HTTP/1.0\r\nHost: localhost\r\n\r\n`,
  'GET http://localhost/api/identity-admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n',
  `${requestHead('POST /api/identity/x', ['Content-Length: 40'])}${'b'.repeat(40)}`,
  `${requestHead('POST /api/identity-admin/x', ['Transfer-Encoding: chunked'])}${chunkedBody('one', 'two', 'three')}`,
  `${requestHead('PUT /api/identity/x', ['Expect: 100-continue', 'Content-Length: 8'])}expected`,
  `${requestHead('POST /api/settings', ['Content-Type: application/json', 'Content-Length: 13'])}{"key":"none"}`,
  requestHead('CONNECT a:1'),
  requestHead('TRACE /api/identity/x'),
  requestHead('OPTIONS *'),
  requestHead('GET /api/identity/x', ['Connection: Upgrade', 'Upgrade: websocket']),
  requestHead('GET /api/identity/x', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: x']),
  requestHead('GET /api/health', ['Expect: a-miracle']),
  `${requestHead('POST /api/identity/x', ['Content-Length: 5', 'Transfer-Encoding: chunked'])}${chunkedBody('x')}`,
  `${requestHead('POST /api/identity/x', ['Transfer-Encoding: chunked'])}zz\r\n`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'NONSENSE\r\n\r\n',
  requestHead('GET /api/auth/login'),
  requestHead('GET /api/identity/x').repeat(5) + requestHead('CONNECT a:1') + requestHead('GET /api/health'),
  requestHead('GET /', ['Accept: text/html']),
];

/** Responses of every kind that an upstream may send. */
const RESPONSES: readonly string[] = [
  'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 20\r\n\r\n01234567890123456789',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5;x=y\r\nworld\r\n0\r\nX-Trailer: 1\r\n\r\n',
  'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end',
  'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nanything',
  'HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\nContent-Length: 32\r\n\r\n{"error":{"reason":"it is used"}}',
  'HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n<h1>\r\n0\r\n\r\n',
  'HTTP/1.1 307 Temporary Redirect\r\nLocation: /admin/x\r\nContent-Length: 4\r\n\r\nbody',
  'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbodyHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray',
  'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  '220 mail ready\r\n',
];

/** @returns every text, cut at every byte and ended in every way, in an order that the seed determines */
function cases(texts: readonly string[]): Case[] {
  const random = seededRandom(SEED);
  const all = texts.flatMap((text) =>
    Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length)).flatMap((bytes) =>
      ENDINGS.map((ending): Case => ({ bytes, ending })),
    ),
  );
  for (let index = all.length - 1; index > 0; index -= 1) {
    const other = random.below(index + 1);
    [all[index], all[other]] = [all[other] as Case, all[index] as Case];
  }
  return all;
}

/** Ends a connection. A stall lasts until the other side closes the connection, or until its time is over. */
async function end(socket: Socket, ending: Ending, stallMs: number): Promise<void> {
  if (socket.destroyed) return;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  if (ending === 'reset') socket.resetAndDestroy();
  else if (ending === 'close') socket.destroy();
  else {
    if (ending === 'half-close') socket.end();
    if (ending === 'stall unread') socket.pause();
    await Promise.race([closed, sleep(stallMs)]);
    socket.destroy();
  }
}

/** Sends the bytes of a case on a new connection, and ends the connection. */
async function send(port: number, { bytes, ending }: Case, stallMs: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  socket.on('error', () => {});
  socket.resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await Promise.race([once(socket, 'connect'), closed]).catch(() => {});
  if (bytes !== '' && socket.writable)
    await new Promise((resolve) => socket.write(Buffer.from(bytes, 'latin1'), resolve));
  await end(socket, ending, stallMs);
}

describe(`the service (fuzzed with seed ${SEED})`, function () {
  this.timeout((SECONDS + 60) * 1000);
  const upstream = ofSuite(() =>
    startRawUpstream((request, socket) => {
      request.body.catch(() => {});
      return reply(request.target, socket);
    }),
  );
  const service = ofSuite(() =>
    startServiceProcess({ IDENTITY_URL: upstream.url, IDENTITY_ADMIN_URL: upstream.url, PROXY_TIMEOUT_MS: '1000' }),
  );
  let reply: (target: string, socket: Socket) => unknown;
  let socketsAtRest: number;

  before(async () => {
    socketsAtRest = openSockets(service.running.pid);
  });

  /** Runs cases until the time is over: a short run covers some, a long one repeats all. @returns how many were run */
  async function run(all: readonly Case[], act: (item: Case, index: number) => Promise<void>): Promise<number> {
    const stopAt = performance.now() + SECONDS * 1000;
    let total = 0;
    do {
      let next = 0;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (next < all.length && (performance.now() < stopAt || next < MINIMUM)) {
            const index = next++;
            await act(all[index] as Case, index);
          }
        }),
      );
      total += next;
    } while (performance.now() < stopAt);
    return total;
  }

  async function assertUnharmed(): Promise<void> {
    assert.ok(await service.isHealthy(), service.running.output().slice(-2000));
    reply = (_target, socket) => socket.write(rawResponse('200 OK', [], 'fine'));
    assert.equal((await service.get('/api/identity/x')).body.toString(), 'fine');
    await upstream.untilIdle();
    await eventually(() => openSockets(service.running.pid) <= socketsAtRest, true, undefined, 50_000);
    assert.doesNotMatch(
      service.running.output(),
      /unexpected error, the process|internal_error|"name":"(?:Type|Range|Reference)Error"/,
    );
  }

  it('stays healthy and leaks no socket when callers end connections at any byte of a request', async () => {
    reply = (_target, socket) => socket.write(rawResponse('200 OK', [], 'fine'));
    const total = await run(cases(REQUESTS), (item) => send(service.port, item, STALL_MS));
    assert.ok(total >= MINIMUM);
    await assertUnharmed();
  });

  it('stays healthy and leaks no socket when an upstream ends connections at any byte of a response', async () => {
    const all = cases(RESPONSES);
    reply = async (target, socket) => {
      const { bytes, ending } = all[Number(target.slice(1)) % all.length] as Case;
      socket.write(Buffer.from(bytes, 'latin1'));
      await end(socket, ending, STALL_MS);
    };
    const total = await run(all, (_item, index) => {
      const prefix = index % 2 === 0 ? 'identity' : 'identity-admin';
      const bytes =
        index % 3 === 0
          ? requestHead(`GET /api/${prefix}/${index}`)
          : `${requestHead(`POST /api/${prefix}/${index}`, ['Content-Length: 4'])}body`;
      return send(service.port, { bytes, ending: 'half-close' }, 2_000);
    });
    assert.ok(total >= MINIMUM);
    await assertUnharmed();
  });
});
