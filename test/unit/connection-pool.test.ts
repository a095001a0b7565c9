import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type ConnectionPool, connectionPool } from '../../server/upstream/proxy/connection-pool.ts';
import { until } from '../support/becomes.ts';
import { answer, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

const LONG_MS = 60_000;

describe('a pool of connections to one upstream', () => {
  let upstream: RawUpstream;
  let handler: RawHandler;

  beforeEach(async () => {
    handler = (_request, socket) => socket.write(answer('200 OK', [], 'x'));
    upstream = await startRawUpstream((...exchange) => handler(...exchange));
  });
  afterEach(() => upstream.close());

  /** One request, whose answer is read to its end. */
  async function get({ agent }: ConnectionPool): Promise<void> {
    const [response] = (await once(request(upstream.url, { agent }).end(), 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    // The connection is put back in the next turn.
    await setTimeout();
  }

  it('opens no more than its number: further requests wait for the first that is free', async () => {
    const pool = connectionPool('http:', 2, LONG_MS);
    await Promise.all(Array.from({ length: 10 }, () => get(pool)));
    assert.equal(upstream.requests.length, 10);
    assert.equal(upstream.accepted, 2);
  });

  it('keeps one no longer than the upstream says, less a second', async () => {
    const pool = connectionPool('http:', 8, LONG_MS);
    for (const [line, connections] of [
      ['Keep-Alive: timeout=1', 2],
      ['keep-alive: max=100, timeout=0', 2],
      ['Keep-Alive: timeout=30', 1],
      ['Keep-Alive: max=100', 1],
      ['Keep-Alone: timeout=1', 1],
    ] as const) {
      handler = (_request, socket) => socket.write(answer('200 OK', [line], 'x'));
      pool.dropIdle();
      const before = upstream.accepted;
      await get(pool);
      await get(pool);
      assert.equal(upstream.accepted - before, connections, line);
    }
  });

  it('drops all idle ones at once, none that is in use', async () => {
    const pool = connectionPool('http:', 8, LONG_MS);
    await Promise.all([get(pool), get(pool)]);
    let finish = (): void => {};
    handler = (_request, socket) => {
      finish = () => socket.write(answer('200 OK', [], 'x'));
    };
    const inUse = get(pool);
    await until(() => upstream.requests.length === 3);
    pool.dropIdle();
    await until(() => upstream.open() === 1);
    finish();
    await inUse;
  });
});
