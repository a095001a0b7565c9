import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import express from 'express';
import { normaliseTarget } from '../../server/gate/normalise-path.ts';
import { jsonBody } from '../../server/http/bodies.ts';
import { ApiError, errorHandler } from '../../server/http/errors.ts';
import { createHttpServer } from '../../server/http/server.ts';
import { silentLog } from '../support/context.ts';
import { until } from '../support/eventually.ts';
import { parseResponses, rawBytes } from '../support/raw-exchange.ts';

describe('a connection whose caller does nothing more', () => {
  let server: Server;
  let port: number;
  /** The far ends of the connections that the server has open. */
  const open = new Set<number>();
  const callers: Socket[] = [];
  const ports = new Map<string, number[]>();

  const request = (line: string, ...headers: string[]): string =>
    `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;
  const states: Record<string, string> = {
    'after 408, having sent nothing': '',
    'after 408, in mid-header': 'GET / HTTP/1.1\r\nHost: ',
    'after 401, with half of a large body': `${request('POST /x', 'Content-Length: 100000000')}half`,
    'after 200, idle': request('GET /answered'),
    'before a large answer that it does not read': request('GET /large'),
  };

  before(async () => {
    const app = express();
    app.get('/answered', (_req, res) => void res.end('done'));
    app.get('/large', (_req, res) => void res.end(Buffer.alloc(64 * 1024 * 1024)));
    app.post('/json', jsonBody({ timeoutMs: 300 }), (_req, res) => void res.end('done'));
    app.use((_req, _res, next) => next(new ApiError('not_authenticated')));
    app.use(errorHandler(silentLog, () => false));
    server = createHttpServer(app, {
      headers: new Map(),
      normalise: normaliseTarget,
      isServed: () => true,
      allowedNetworks: undefined,
      isDraining: () => false,
      log: silentLog,
      headersTimeoutMs: 300,
      limits: { restMs: 300, idleMs: 600, headMs: 300, paceMs: 600 },
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => {
      const { remotePort = 0 } = socket;
      open.add(remotePort);
      socket.once('close', () => open.delete(remotePort));
    });
  });
  after(() => {
    for (const caller of callers) caller.destroy();
    server.closeAllConnections();
    server.close();
  });

  describe('is closed although it stays half-open', () => {
    before(async () => {
      // What was refused may linger for seconds.
      mock.timers.enable({ apis: ['setTimeout'] });
      // All at once, so that their timeouts run in parallel.
      for (const [state, bytes] of Object.entries(states))
        for (let index = 0; index < 3; index += 1) {
          // The client does not close its side when the server closes.
          const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause();
          socket.on('error', () => {});
          await once(socket, 'connect');
          if (bytes !== '') socket.write(bytes);
          callers.push(socket);
          ports.set(state, [...(ports.get(state) ?? []), socket.localPort ?? 0]);
        }
    });
    after(() => mock.timers.reset());

    for (const state of Object.keys(states))
      it(state, () =>
        until(() => {
          mock.timers.tick(1_000);
          return !ports.get(state)?.some((number) => open.has(number));
        }),
      );
  });

  const json = (framing: string): string => request('POST /json', 'Content-Type: application/json', framing);
  for (const [what, bytes] of Object.entries({
    headers: 'POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
    'JSON body': `${json('Content-Length: 9')}{`,
    'chunked JSON body': `${json('Transfer-Encoding: chunked')}1\r\n{\r\n`,
  }))
    it(`whose ${what} does not arrive in time is answered 408 in the error shape, and closed`, async () => {
      const [response] = parseResponses(await rawBytes(port, bytes, 30_000), false);
      assert.equal(response?.status, 408);
      assert.equal(response.headers.connection, 'close');
      assert.equal((JSON.parse(response.body) as { error: string }).error, 'request_timeout');
    });
});
