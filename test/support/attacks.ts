import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { head } from './raw-client.ts';
import { answer, type RawHandler } from './raw-upstream.ts';

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
  if (!socket.destroyed) socket.write(answer('200 OK', [], request.target));
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

export interface Served {
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
