import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chunked, head } from './raw-client.ts';
import { type RawHandler, rawResponse } from './raw-upstream.ts';

/** What an attacker does on each connection that it holds: says something once, then goes on with so many bytes a second. */
export const HOLDS = {
  silent: { bytes: '', dribbles: 0 },
  'headers dribbled': { bytes: 'GET /api/identity/x HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', dribbles: 1 },
  'uploads dribbled': { bytes: head('POST /api/identity/x', ['Content-Length: 1000000']), dribbles: 1 },
  // Fast enough to be left alone while nobody else asks.
  'uploads that crawl': { bytes: head('POST /api/identity/x', ['Content-Length: 1000000']), dribbles: 2_200 },
  'idle after an answer': { bytes: head('GET /api/health'), dribbles: 0 },
  'answers never read': { bytes: head('GET /api/identity/large'), dribbles: 0 },
} as const;
export type Hold = keyof typeof HOLDS;

const DRIBBLE_MS = 1_000;
const BLOCK = Buffer.alloc(1_048_576);

/** Answers `/large` with a gigabyte as fast as it is taken, and everything else at once. */
export const largeOrSmall: RawHandler = async (request, socket) => {
  if (request.target === '/large') {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1024 * BLOCK.length}\r\n\r\n`);
    const fill = (): void => {
      while (!socket.destroyed && socket.write(BLOCK));
    };
    socket.on('drain', fill);
    fill();
    return;
  }
  await request.body.catch(() => {});
  if (!socket.destroyed) socket.write(rawResponse('200 OK', [], request.target));
};

/**
 * Opens connections from one loopback address and holds them, each again as soon as the far end closes it.
 * @returns ends the attack
 */
export async function attack(
  hold: Hold,
  { port, from, connections }: { port: number; from: string; connections: number },
): Promise<() => void> {
  const { bytes, dribbles } = HOLDS[hold];
  const open = new Set<Socket>();
  let over = false;

  async function begin(): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    if (hold === 'answers never read') socket.pause();
    else socket.resume();
    socket.on('error', () => {});
    open.add(socket);
    let dribbling: NodeJS.Timeout | undefined;
    socket.once('close', () => {
      clearInterval(dribbling);
      open.delete(socket);
      if (!over) setTimeout(() => over || void begin(), 100);
    });
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
    if (bytes !== '') socket.write(bytes);
    if (dribbles > 0) dribbling = setInterval(() => socket.write('x'.repeat(dribbles)), DRIBBLE_MS);
  }
  for (let index = 0; index < connections; index += 1) await begin();
  return () => {
    over = true;
    for (const socket of open) socket.destroy();
  };
}

interface Served {
  /** Of each request that was answered 200; milliseconds. */
  milliseconds: number[];
  /** Answers of another status, and broken connections. */
  failures: string[];
}

/** Each address asks one thing after another on a new connection each time, as long as `goOn` says so. */
export async function callers(
  { port, path, addresses }: { port: number; path: string; addresses: readonly string[] },
  goOn: (done: number) => boolean,
): Promise<Served> {
  const served: Served = { milliseconds: [], failures: [] };
  await Promise.all(
    addresses.map(async (localAddress) => {
      for (let done = 0; goOn(done); done += 1) {
        const begun = performance.now();
        const status = await new Promise((resolve) => {
          get({ port, host: '127.0.0.1', localAddress, path, agent: false, headers: { Host: 'localhost' } }, (res) => {
            res.resume();
            res.once('error', ({ message }) => resolve(message));
            res.once('end', () => resolve(res.statusCode));
          }).once('error', ({ message }) => resolve(message));
        });
        if (status === 200) served.milliseconds.push(performance.now() - begun);
        else served.failures.push(String(status));
      }
    }),
  );
  return served;
}

/** Loopback addresses of a company's worth of callers. */
export const addressesOf = (callers: number): string[] =>
  Array.from({ length: callers }, (_, index) => `127.0.1.${index + 1}`);

/** How a connection is left in mid-sentence. */
export const ACTS = ['reset', 'half-close', 'close', 'stall', 'stall unread'] as const;
export type Act = (typeof ACTS)[number];

/** Requests of every kind that the service tells apart. */
export const REQUESTS: readonly string[] = [
  head('GET /api/health'),
  head('HEAD /api/identity/x'),
  head('GET /api/identity/x?y=z', ['Cookie: a=b; dashboard-session=x.y']),
  `GET /api/identity/x HTTP/1.0\r\nHost: localhost\r\n\r\n`,
  'GET http://localhost/api/identity-admin/x HTTP/1.1\r\nHost: localhost\r\n\r\n',
  `${head('POST /api/identity/x', ['Content-Length: 40'])}${'b'.repeat(40)}`,
  `${head('POST /api/identity-admin/x', ['Transfer-Encoding: chunked'])}${chunked('one', 'two', 'three')}`,
  `${head('PUT /api/identity/x', ['Expect: 100-continue', 'Content-Length: 8'])}expected`,
  `${head('POST /api/settings', ['Content-Type: application/json', 'Content-Length: 13'])}{"key":"none"}`,
  head('CONNECT a:1'),
  head('TRACE /api/identity/x'),
  head('OPTIONS *'),
  head('GET /api/identity/x', ['Connection: Upgrade', 'Upgrade: websocket']),
  head('GET /api/identity/x', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: x']),
  head('GET /api/health', ['Expect: a-miracle']),
  `${head('POST /api/identity/x', ['Content-Length: 5', 'Transfer-Encoding: chunked'])}${chunked('x')}`,
  `${head('POST /api/identity/x', ['Transfer-Encoding: chunked'])}zz\r\n`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'NONSENSE\r\n\r\n',
  head('GET /api/auth/login'),
  head('GET /api/identity/x').repeat(5) + head('CONNECT a:1') + head('GET /api/health'),
  head('GET /', ['Accept: text/html']),
];

/** Answers of every kind that an upstream may give. */
export const ANSWERS: readonly string[] = [
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

/** Leaves the connection in the given way; a stall ends when the far end ends it, or after its time. */
export async function leave(socket: Socket, act: Act, stallMs: number): Promise<void> {
  if (socket.destroyed) return;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  if (act === 'reset') socket.resetAndDestroy();
  else if (act === 'close') socket.destroy();
  else {
    if (act === 'half-close') socket.end();
    if (act === 'stall unread') socket.pause();
    await Promise.race([closed, sleep(stallMs)]);
    socket.destroy();
  }
}

/** Sends a request up to a byte, and leaves. */
export async function call(port: number, bytes: string, act: Act, stallMs: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  socket.on('error', () => {});
  socket.resume();
  await Promise.race([once(socket, 'connect'), new Promise((resolve) => socket.once('close', resolve))]).catch(
    () => {},
  );
  if (bytes !== '' && socket.writable)
    await new Promise((resolve) => socket.write(Buffer.from(bytes, 'latin1'), resolve));
  await leave(socket, act, stallMs);
}

/** Sockets that a process has open, its listeners included. */
export const openSockets = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;

/** Memory that a process holds, in whole MB. */
export const residentMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024);

/** Does everything, at most `width` at a time, as long as `goOn` says so of what is begun. @returns how many were done */
export async function forAll<Item>(
  items: readonly Item[],
  options: { width: number; goOn: (begun: number) => boolean },
  act: (item: Item) => Promise<void>,
): Promise<number> {
  let index = 0;
  await Promise.all(
    Array.from({ length: options.width }, async () => {
      while (index < items.length && options.goOn(index)) await act(items[index++] as Item);
    }),
  );
  return index;
}
