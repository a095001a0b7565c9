import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';
import { mock } from 'node:test';
import express from 'express';
import type { HttpServer } from '../../server/http/server.ts';
import { type Service, startService } from '../../server/process/service.ts';
import { FLUSH_MS, SHUTDOWN_TIMES } from '../../server/process/shutdown.ts';
import { httpServerOf, TEST_KEYS } from '../support/context.ts';
import { describeOnDatabases, lockSqlite } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { ofTest } from '../support/of-suite.ts';
import { RawConnection, requestHead } from '../support/raw-client.ts';
import { type RawHandler, startRawUpstream } from '../support/raw-upstream.ts';
import { severable } from '../support/severable.ts';

describe('the HTTP server after it stops accepting connections', () => {
  const LARGE = 32 * 1024 * 1024;
  const accepted = new Map<number, Socket>();
  let server: HttpServer;
  let port: number;
  beforeEach(async () => {
    const app = express();
    app.get('/large', (_req, res) => void res.end(Buffer.alloc(LARGE)));
    app.get('/small', (_req, res) => void res.end('small'));
    server = httpServerOf(app);
    server.on('connection', (socket) => accepted.set(socket.remotePort ?? 0, socket));
    ({ port } = await listenOnLoopback(server));
  });
  afterEach(() => server.closeAllConnections());

  it('delivers a response in full that the client has not read yet', async () => {
    const connection = await RawConnection.open(port);
    connection.write(requestHead('GET /large'));
    await connection.readHead();
    connection.socket.pause();
    server.stopAccepting();
    connection.socket.resume();
    await connection.until(() => connection.pendingBytes === LARGE);
    connection.close();
  });

  it('responds to a request that has started to arrive, and closes idle connections', async () => {
    const [used, unused, sending] = [
      await RawConnection.open(port),
      await RawConnection.open(port),
      await RawConnection.open(port),
    ];
    const small = requestHead('GET /small');
    for (const connection of [used, sending]) {
      connection.write(small);
      assert.equal((await connection.response()).body.toString(), 'small');
    }
    sending.write(small.slice(0, 20));
    const serverSide = accepted.get(sending.socket.localPort ?? 0);
    await until(() => serverSide?.bytesRead === small.length + 20 && accepted.size >= 3);
    server.stopAccepting();
    assert.deepEqual([await used.untilClosed(), await unused.untilClosed()], ['end', 'end']);
    sending.write(small.slice(20));
    assert.equal((await sending.response()).body.toString(), 'small');
    sending.close();
  });
});

describeOnDatabases('a graceful shutdown', (databases) => {
  const LONG_MS = 600_000;
  let handler: RawHandler;
  let service: Service;
  let port: number;
  let logged: string[];
  let callers: RawConnection[];

  beforeEach(() => {
    callers = [];
    logged = [];
  });
  afterEach(async () => {
    for (const caller of callers) caller.close();
    await service.close();
  });
  const upstream = ofTest(() => startRawUpstream((request, socket) => handler(request, socket)));

  async function start(url: string, endTimes: Partial<typeof SHUTDOWN_TIMES>): Promise<void> {
    service = await startService(
      {
        ...TEST_KEYS,
        PORT: '0',
        DATABASE_URL: url,
        AUTH_URL: 'http://127.0.0.1:1',
        OAUTH_CLIENT_ID: 'dashboard',
        IDENTITY_URL: upstream.url,
        IDENTITY_ADMIN_URL: upstream.url,
        PROXY_TIMEOUT_MS: String(LONG_MS),
      },
      {
        logTo: { write: (line) => void logged.push(line) },
        endTimes: { noticeMs: 0, answeredMs: LONG_MS, closedMs: LONG_MS, ...endTimes },
      },
    );
    port = Number(new URL(service.url).port);
  }
  async function opened(bytes: string): Promise<RawConnection> {
    const connection = await RawConnection.open(port);
    callers.push(connection);
    connection.write(bytes);
    return connection;
  }

  it('accepts connections while load balancers notice the failing health check, and none afterwards', async () => {
    await start(await databases.create(), { noticeMs: SHUTDOWN_TIMES.noticeMs });
    mock.timers.enable({ apis: ['setTimeout'] });
    syncBuiltinESMExports();
    try {
      const ended = service.close();
      const probe = await opened(requestHead('GET /api/health'));
      assert.equal((await probe.response()).status, 503);
      handler = (_request, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      const late = await opened(requestHead('GET /api/identity/x'));
      assert.equal((await late.response()).status, 200);
      mock.timers.tick(SHUTDOWN_TIMES.noticeMs);
      assert.equal(await ended, true);
    } finally {
      mock.timers.reset();
      syncBuiltinESMExports();
    }
    await assert.rejects(opened(requestHead('GET /api/health')), { code: 'ECONNREFUSED' });
  });

  it('closes connections whose responses take too long', async () => {
    handler = () => {};
    await start(await databases.create(), { answeredMs: 300 });
    const connection = await opened(requestHead('GET /api/identity/x'));
    await until(() => upstream.requests.length === 1);
    assert.equal(await service.close(), true);
    await connection.untilClosed();
    assert.equal(connection.pending, '');
  });

  it('stops waiting for a database that does not respond, and logs how many audit records are lost', async () => {
    const { url } = await databases.createMigrated();
    const severed = databases.client === 'mysql' ? await severable(url) : undefined;
    handler = (_request, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK');
    await start(severed?.url ?? url, { answeredMs: 100, closedMs: 300 });
    const connection = await opened(requestHead('GET /api/identity-admin/admin/identities/x'));
    // From now on, the key of the upstream is cached.
    assert.equal((await connection.response()).status, 200);
    severed?.silence();
    const release = severed?.close ?? (await lockSqlite(databases.open(url)));
    connection.write(requestHead('DELETE /api/identity-admin/admin/identities/x'));
    assert.equal((await connection.response()).status, 200);
    assert.equal(await service.close(), false);
    const last = JSON.parse(logged.at(-1) ?? '{}');
    assert.deepEqual([last.level, last.records, last.msg.split(':')[0]], [50, 1, 'shutdown timed out']);
    await release();
  });
});

describe('the timeouts of a graceful shutdown', () => {
  it('expire in order within ten seconds, which is less than the container’s stop_grace_period', () => {
    const { noticeMs, answeredMs, closedMs } = SHUTDOWN_TIMES;
    assert.ok(noticeMs < answeredMs && answeredMs < closedMs && closedMs + FLUSH_MS < 10_000);
    const compose = readFileSync(new URL('../../deploy/compose.yaml', import.meta.url), 'utf8');
    assert.ok(Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1]) > 10);
  });
});
