import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chunked, head } from './raw-client.ts';

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
