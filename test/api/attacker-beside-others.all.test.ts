import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';
import { memoryMib, openSockets, startServiceProcess } from '../support/processes.ts';
import { requestHead } from '../support/raw-client.ts';
import { type RawHandler, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

const ATTACKER = '127.0.0.66';
const OTHERS = Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`);
/** The limit of connections to one upstream. */
const LIMIT = 128;
const GROWTH_MIB = 150;
const BLOCK = Buffer.alloc(1_048_576);

/** The bytes that an attacker sends once on each connection, and how many more follow each second. */
const ATTACKS = {
  silence: { bytes: '', perSecond: 0 },
  'slow headers': { bytes: 'GET /api/identity/x HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', perSecond: 1 },
  'slow uploads': { bytes: requestHead('POST /api/identity/x', ['Content-Length: 1000000']), perSecond: 1 },
  // Fast enough that the service tolerates them while no other caller waits.
  'crawling uploads': { bytes: requestHead('POST /api/identity/x', ['Content-Length: 1000000']), perSecond: 2_200 },
  'idle connections': { bytes: requestHead('GET /api/health'), perSecond: 0 },
  'unread responses': { bytes: requestHead('GET /api/identity/large'), perSecond: 0 },
} as const;
type Attack = keyof typeof ATTACKS;

/** Responds to `/large` with a gigabyte as fast as it is read, and to everything else at once. */
const largeOrSmall: RawHandler = async (request, socket) => {
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

/** Opens connections from one address, and replaces each that the service closes. @returns a function that ends it */
async function attack(name: Attack, port: number, localAddress: string, connections: number): Promise<() => void> {
  const { bytes, perSecond } = ATTACKS[name];
  const open = new Set<Socket>();
  let ended = false;

  async function openOne(): Promise<void> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    if (name === 'unread responses') socket.pause();
    else socket.resume();
    socket.on('error', () => {});
    open.add(socket);
    let sending: NodeJS.Timeout | undefined;
    socket.once('close', () => {
      clearInterval(sending);
      open.delete(socket);
      if (!ended) setTimeout(() => ended || void openOne(), 100);
    });
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
    if (bytes !== '') socket.write(bytes);
    if (perSecond > 0) sending = setInterval(() => socket.write('x'.repeat(perSecond)), 1_000);
  }
  for (let index = 0; index < connections; index += 1) await openOne();
  return () => {
    ended = true;
    for (const socket of open) socket.destroy();
  };
}

/** @returns the status, or the message of a broken connection */
const statusFor = (port: number, localAddress: string): Promise<unknown> =>
  new Promise((resolve) => {
    const headers = { Host: 'localhost' };
    get({ port, host: '127.0.0.1', localAddress, path: '/api/identity/y', agent: false, headers }, (res) => {
      res.resume();
      res.once('error', ({ message }) => resolve(message));
      res.once('end', () => resolve(res.statusCode));
    }).once('error', ({ message }) => resolve(message));
  });

/** Waits longer than other tests: a slow machine needs time for so many connections. */
const until = (condition: () => boolean): Promise<void> => eventually(condition, true, undefined, 50_000);

describe('20 ordinary callers', () => {
  const upstream = ofSuite(() => startRawUpstream(largeOrSmall, { keepBodies: false }));
  // On a busy machine, callers may have to wait for their turn.
  const service = ofSuite(() => startServiceProcess({ IDENTITY_URL: upstream.url, PROXY_TIMEOUT_MS: '30000' }));
  let socketsAtRest: number;
  let attacks: (() => void)[];

  before(() => {
    socketsAtRest = openSockets(service.running.pid);
  });
  beforeEach(() => {
    attacks = [];
  });
  afterEach(async () => {
    for (const end of attacks) end();
    await until(() => openSockets(service.running.pid) <= socketsAtRest);
  });

  const start = async (name: Attack, connections: number, from = ATTACKER): Promise<void> => {
    attacks.push(await attack(name, service.port, from, connections));
  };
  async function assertAllServed(): Promise<void> {
    await Promise.all(
      OTHERS.map(async (address) => {
        for (let count = 0; count < 3; count += 1) assert.equal(await statusFor(service.port, address), 200, address);
      }),
    );
  }

  it('are served while an attacker has 1,200 connections that are silent, slow, idle or not read', async () => {
    for (const name of Object.keys(ATTACKS) as Attack[]) await start(name, 200);
    await until(() => upstream.openConnections() >= LIMIT);
    await until(() => openSockets(service.running.pid) >= 1_200);
    await assertAllServed();
    assert.ok(await service.isHealthy());
  });

  it('are served with bounded memory while an attacker reads none of 140 one-gigabyte responses', async () => {
    const before = memoryMib(service.running.pid, 'VmRSS');
    const growth = (): number => memoryMib(service.running.pid, 'VmRSS') - before;
    await start('unread responses', 140);
    // A service that buffers all that it receives would be too busy to open so many connections.
    await until(() => upstream.openConnections() >= LIMIT || growth() >= GROWTH_MIB);
    assert.ok(growth() < GROWTH_MIB, `${growth()} MiB`);
    await assertAllServed();
    assert.ok(growth() < GROWTH_MIB, `${growth()} MiB`);
  });
});
