import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { until } from '../support/eventually.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { chunked, head, RawConnection, sendRaw } from '../support/raw-client.ts';
import { echo, type RawHandler, type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

const TIMEOUT_MS = 10_000;
const TEXTS = {
  bad_gateway: [502, 'Unable to reach upstream service.'],
  gateway_timeout: [504, 'Upstream service did not respond within the timeout window.'],
  proxy_error: [500, 'An unexpected error occurred.'],
} as const;

describe('an upstream that fails', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let handler: RawHandler;

  beforeEach(async () => {
    handler = echo;
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    app = await startProxyApp(
      { identity: upstream.url, 'identity-admin': upstream.url, oauth: 'http://no-such-host.invalid' },
      { timeoutMs: TIMEOUT_MS },
    );
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  const get = (path = '/api/identity/x') => sendRaw(app.port, head(`GET ${path}`));
  const isError = (result: Awaited<ReturnType<typeof sendRaw>>, code: keyof typeof TEXTS): void => {
    const [status, message] = TEXTS[code];
    assert.equal(result.status, status);
    assert.deepEqual(result.header('content-type'), ['application/json']);
    assert.deepEqual(JSON.parse(result.body.toString()), { error: code, message });
    assert.deepEqual(result.header('cache-control'), ['no-store']);
    const text = JSON.stringify(result.rawHeaders) + result.body;
    assert.doesNotMatch(text, /127\.0\.0\.1|ECONN|socket|\bat \//);
    assert.ok(!text.includes(String(upstream.port)));
  };

  describe('before its answer', () => {
    it('not configured, or its name not resolved: 502, and the caller’s connection serves on', async () => {
      const connection = await RawConnection.open(app.port);
      for (const path of ['/api/oauth/x', '/api/oauth-admin/x']) {
        connection.write(head(`GET ${path}`));
        isError(await connection.response(), 'bad_gateway');
      }
      connection.write(head('GET /api/identity/x'));
      assert.equal((await connection.response()).status, 200);
      connection.close();
    });

    it('connection refused: 502, with a body on its way too; logged under the caller’s id, without addresses', async () => {
      await upstream.close();
      const chunkedPut = head('PUT /api/identity/x', ['Transfer-Encoding: chunked']) + chunked('body');
      isError(await sendRaw(app.port, chunkedPut), 'bad_gateway');
      const result = await get();
      isError(result, 'bad_gateway');
      const lines = JSON.stringify(app.logged.filter(({ id }) => id === result.header('x-request-id')[0]));
      assert.match(lines, /ECONNREFUSED/);
      assert.doesNotMatch(lines, /127\.0\.0\.1/);
    });

    const broken: Record<string, (socket: Socket) => void> = {
      'closed without a word': (socket) => socket.end(),
      reset: (socket) => socket.resetAndDestroy(),
      'not HTTP': (socket) => socket.end('220 mail ready\r\n'),
      'a length and a transfer coding': (socket) =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      'switching protocols': (socket) =>
        void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    };
    for (const [what, fault] of Object.entries(broken))
      it(`${what}: 500, its connection is gone, and nothing is tried again`, async () => {
        handler = (_request, socket) => fault(socket);
        isError(await sendRaw(app.port, `${head('POST /api/identity/x', ['Content-Length: 4'])}body`), 'proxy_error');
        isError(await get(), 'proxy_error');
        await upstream.idle();
        assert.equal(upstream.requests.length, 2);
      });

    for (const [what, bytes] of [
      ['silent', ''],
      ['silent inside the headers', 'HTTP/1.1 200 OK\r\nX-A: b\r\n'],
    ] as const)
      it(`${what}: 504 once the time is over, and its connection is gone`, async () => {
        handler = (_request, socket) => void socket.write(bytes);
        const waiting = [get(), sendRaw(app.port, `${head('POST /api/identity/x', ['Content-Length: 4'])}body`)];
        await until(() => upstream.requests.length === 2);
        await Promise.all(upstream.requests.map(({ body }) => body));
        app.pass(TIMEOUT_MS - 1_000);
        assert.equal(upstream.open(), 2);
        app.pass(TIMEOUT_MS + 1_000);
        for (const result of await Promise.all(waiting)) isError(result, 'gateway_timeout');
        await upstream.idle();
      });
  });

  describe('inside its answer', () => {
    const half = 'half of it';
    const framings = {
      sized: `HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n${half}`,
      chunked: `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${half.length.toString(16)}\r\n${half}\r\n`,
    };
    const endings: Record<string, (socket: Socket) => void> = {
      closed: (socket) => void socket.end(),
      reset: (socket) => socket.resetAndDestroy(),
      silent: () => app.pass(TIMEOUT_MS + 1_000),
    };
    for (const [framing, bytes] of Object.entries(framings))
      for (const [ending, end] of Object.entries(endings))
        it(`${ending} inside a ${framing} body: the caller sees that it is cut short`, async () => {
          let broken: Socket | undefined;
          handler = (_request, socket) => {
            broken = socket;
            socket.write(bytes);
          };
          const caller = await RawConnection.open(app.port);
          caller.write(head('GET /api/identity/x'));
          await caller.until(() => caller.pending.includes(half));
          end(broken ?? assert.fail());
          const result = await caller.response();
          assert.deepEqual([result.status, result.complete], [200, false]);
          await upstream.idle();
          await until(() => app.logged.some(({ msg }) => msg === 'the upstream broke off its response'));
          caller.close();
        });

    it('more than its length: the rest goes to nobody', async () => {
      handler = (request, socket) => {
        socket.write(`${rawResponse('200 OK', [], 'mine')}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray`);
        if (request.target === '/2') socket.end();
      };
      assert.equal((await get('/api/identity/1')).body.toString(), 'mine');
      assert.equal((await get('/api/identity/2')).body.toString(), 'mine');
    });
  });
});
