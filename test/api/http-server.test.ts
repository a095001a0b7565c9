import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { jsonBody } from '../../server/http/bodies.ts';
import { ApiError, errorHandler } from '../../server/http/errors.ts';
import { httpServerOf, silentLog } from '../support/context.ts';
import { startWithAdmin } from '../support/dashboard.ts';
import { until } from '../support/eventually.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { ofSuite } from '../support/of-suite.ts';
import { startServiceProcess } from '../support/processes.ts';
import { exchangeBytes, RawConnection, type RawResponse, requestHead } from '../support/raw-client.ts';

const codeOf = ({ body }: RawResponse): string => (JSON.parse(body.toString()) as { error: string }).error;

describe('the HTTP server', () => {
  const dashboard = ofSuite(() => startWithAdmin({ env: { KEEP_ALIVE_SECONDS: '1' } }));

  const exchange = (bytes: string): Promise<RawResponse[]> => exchangeBytes(dashboard.port, bytes);
  const get = (path: string, ...headers: string[]): string =>
    requestHead(`GET ${path}`, ['Connection: close', ...headers]);

  function assertError(response: RawResponse | undefined, status: number, code: string): void {
    assert.equal(response?.status, status);
    assert.deepEqual(response.header('content-type'), ['application/json']);
    assert.equal(codeOf(response), code);
    assert.match(response.header('x-request-id').join(), /^[0-9a-f-]{36}$/);
  }

  const refused: [what: string, bytes: string, status: number, code: string][] = [
    ['a malformed request line', 'NONSENSE\r\n\r\n', 400, 'bad_request'],
    ['two lengths', `${requestHead('POST /api', ['Content-Length: 1', 'Content-Length: 2'])}x`, 400, 'bad_request'],
    ['headers over 16 KiB', get('/', `X: ${'x'.repeat(17_000)}`), 431, 'headers_too_large'],
    ['an unknown expectation', get('/api/health', 'Expect: a-miracle'), 417, 'expectation_failed'],
    ['CONNECT', requestHead('CONNECT example.com:443'), 405, 'method_not_allowed'],
    ['a foreign host name', get('/api/health').replace('localhost', 'rebound.example'), 421, 'misdirected_request'],
    ['a WebSocket upgrade on a public route', get('/api/health', 'Upgrade: websocket'), 400, 'bad_request'],
    ['TRACE on a public route', get('/api/health').replace('GET', 'TRACE'), 405, 'method_not_allowed'],
  ];
  for (const [what, bytes, status, code] of refused)
    it(`refuses ${what} with ${status} ${code} in the error shape`, async () => {
      const responses = await exchange(bytes);
      assert.equal(responses.length, 1);
      assertError(responses[0], status, code);
    });

  for (const target of ['http://[', 'http://?x', 'http://xn--0/'])
    it(`passes the target "${target}" to the gate although Express cannot parse it`, async () => {
      assertError((await exchange(get(target)))[0], 401, 'not_authenticated');
      assertError((await exchange(get(target, `Cookie: dashboard-session=${dashboard.admin}`)))[0], 404, 'not_found');
    });

  for (const [what, ambiguous] of [
    ['an unsupported transfer coding', requestHead('POST /api/health', ['Transfer-Encoding: identity'])],
    [
      'a chunked body in HTTP/1.0',
      'POST /api/health HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two Host headers', requestHead('GET /api/health', ['Host: localhost'])],
    ['no Host header', 'GET /api/health HTTP/1.1\r\nConnection: keep-alive\r\n\r\n'],
  ] as const)
    it(`responds 400 to a request with ${what}, and closes the connection without reading another request`, async () => {
      const [first, ...more] = await exchange(ambiguous + requestHead('GET /api/health'));
      assertError(first, 400, 'bad_request');
      assert.deepEqual(first?.header('connection'), ['close']);
      assert.deepEqual(more, []);
    });

  it('responds 401 to a WebSocket upgrade on a gated route without a session, and 400 with a session', async () => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
    const session = `Cookie: dashboard-session=${dashboard.admin}`;
    assertError((await exchange(get('/api/config', ...upgrade)))[0], 401, 'not_authenticated');
    assertError((await exchange(get('/api/config', session, ...upgrade)))[0], 400, 'bad_request');
  });

  it('serves only /api/health to requests without a host name, which some load balancers send', async () => {
    const statusFor = async (line: string, ...headers: string[]) =>
      (await exchange(`${[line, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`))[0]?.status;
    for (const method of ['GET', 'HEAD'])
      for (const path of ['/api/health', '/api/health?probe=live']) {
        assert.equal(await statusFor(`${method} ${path} HTTP/1.0`), 200);
        for (const version of ['1.0', '1.1'])
          assert.equal(await statusFor(`${method} ${path} HTTP/${version}`, 'Host:'), 200);
        assert.equal(await statusFor(`${method} ${path} HTTP/1.1`), 400);
        assert.equal(await statusFor(`${method} ${path} HTTP/1.0`, 'Host:', 'Host:'), 400);
        assert.equal(await statusFor(`${method} ${path} HTTP/1.0`, 'Host: rebound.example'), 421);
      }
    for (const other of ['POST /api/health', 'GET /', 'GET /api/healthy', 'GET /api/connections/social'])
      assert.deepEqual(
        [await statusFor(`${other} HTTP/1.0`), await statusFor(`${other} HTTP/1.1`, 'Host:')],
        [400, 421],
      );
  });

  it('announces KEEP_ALIVE_SECONDS, and closes a connection that is idle for longer', async () => {
    const connection = await RawConnection.open(dashboard.port);
    connection.write(requestHead('GET /api/health'));
    const response = await connection.response();
    assert.deepEqual(response.header('connection'), ['keep-alive']);
    assert.deepEqual(response.header('keep-alive'), ['timeout=1']);
    assert.equal(await connection.untilClosed(), 'end');
  });

  it('keeps a connection open for further requests, and responds to them in order', async () => {
    const first = requestHead('GET /api/health');
    const responses = await exchange(first + first + get('/api/settings'));
    const statuses = responses.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200, 401]);
  });
});

describe('the process of the service', () => {
  const service = ofSuite(startServiceProcess);

  for (const line of ['CONNECT a:1', 'GET /api/health', 'PRI *'])
    it(`survives a reset of the connection after ${line}`, async () => {
      for (let round = 0; round < 20; round += 1) {
        const socket = connect(service.port, '127.0.0.1');
        socket.on('error', () => {});
        await once(socket, 'connect');
        socket.write(`${line} HTTP/1.1\r\nHost: a\r\n\r\n`);
        // Depending on the round, the reset comes at once, after the request is read, or after the response is written.
        await sleep(round % 4);
        socket.resetAndDestroy();
      }
      assert.ok(await service.isHealthy(), service.running.output());
    });
});

describe('a stalled connection', () => {
  let port: number;
  let close: () => Promise<void>;
  /** The remote ports of the connections that the server has open. */
  const open = new Set<number>();
  const clients: Socket[] = [];
  const ports = new Map<string, number[]>();

  const conditions: Record<string, string> = {
    'the client has sent nothing': '',
    'the client has sent only part of the headers': 'GET / HTTP/1.1\r\nHost: ',
    'the client has sent only part of a large body': `${requestHead('POST /x', ['Content-Length: 100000000'])}half`,
    'the client sends nothing after its first request': requestHead('GET /small'),
    'the client does not read a large response': requestHead('GET /large'),
  };

  before(async () => {
    const app = express();
    app.get('/small', (_req, res) => void res.end('done'));
    app.get('/large', (_req, res) => void res.end(Buffer.alloc(64 * 1024 * 1024)));
    app.post('/json', jsonBody({ timeoutMs: 300 }), (_req, res) => void res.end('done'));
    app.use((_req, _res, next) => next(new ApiError('not_authenticated')));
    app.use(errorHandler(silentLog, () => false));
    const server = httpServerOf(app, {
      headersTimeoutMs: 300,
      limits: { restMs: 300, idleMs: 600, headMs: 300, paceMs: 600 },
    });
    ({ port, close } = await listenOnLoopback(server));
    server.on('connection', (socket) => {
      const { remotePort = 0 } = socket;
      open.add(remotePort);
      socket.once('close', () => open.delete(remotePort));
    });
  });
  after(() => {
    for (const client of clients) client.destroy();
    return close();
  });

  describe('that the client leaves half-open', () => {
    before(async () => {
      // The server may keep a refused connection open for seconds.
      mock.timers.enable({ apis: ['setTimeout'] });
      // All connections are opened first, so that their timeouts run in parallel.
      for (const [condition, bytes] of Object.entries(conditions))
        for (let index = 0; index < 3; index += 1) {
          // The client does not close its side when the server closes.
          const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause();
          socket.on('error', () => {});
          await once(socket, 'connect');
          if (bytes !== '') socket.write(bytes);
          clients.push(socket);
          ports.set(condition, [...(ports.get(condition) ?? []), socket.localPort ?? 0]);
        }
    });
    after(() => mock.timers.reset());

    for (const condition of Object.keys(conditions))
      it(`is closed if ${condition}`, () =>
        until(() => {
          mock.timers.tick(1_000);
          return !ports.get(condition)?.some((number) => open.has(number));
        }));
  });

  const json = (framing: string): string => requestHead('POST /json', ['Content-Type: application/json', framing]);
  for (const [condition, bytes] of Object.entries({
    'the headers do not arrive': 'POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
    'the JSON body does not arrive': `${json('Content-Length: 9')}{`,
    'the chunked JSON body does not arrive': `${json('Transfer-Encoding: chunked')}1\r\n{\r\n`,
  }))
    it(`is closed after a 408 in the error shape if ${condition} in time`, async () => {
      const [response = assert.fail('no response')] = await exchangeBytes(port, bytes);
      assert.equal(response.status, 408);
      assert.deepEqual(response.header('connection'), ['close']);
      assert.equal(codeOf(response), 'request_timeout');
    });
});
