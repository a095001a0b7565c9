import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { until } from '../support/eventually.ts';
import { proxiesOfTest } from '../support/proxy-app.ts';
import { chunkedBody, type RawResponse, requestHead } from '../support/raw-client.ts';
import { echoRequest, rawResponse } from '../support/raw-upstream.ts';

const TIMEOUT_MS = 10_000;
const TEXTS = {
  bad_gateway: [502, 'Unable to reach upstream service.'],
  gateway_timeout: [504, 'Upstream service did not respond within the timeout window.'],
  proxy_error: [500, 'An unexpected error occurred.'],
} as const;

describe('the proxies', () => {
  const proxies = proxiesOfTest({
    urls: (url) => ({ identity: url, 'identity-admin': url, oauth: 'http://no-such-host.invalid' }),
    timeoutMs: TIMEOUT_MS,
  });
  const { upstream, open, send } = proxies;
  const get = (path = '/api/identity/x') => send(`GET ${path}`);
  const post = () => send('POST /api/identity/x', ['Content-Length: 4'], 'body');
  const isBrokenOffLogged = (): boolean =>
    proxies.app.logged.some(({ msg }) => msg === 'the upstream broke off its response');
  function assertError(response: RawResponse, code: keyof typeof TEXTS): void {
    const [status, message] = TEXTS[code];
    assert.equal(response.status, status);
    assert.deepEqual(response.header('content-type'), ['application/json']);
    assert.deepEqual(JSON.parse(response.body.toString()), { error: code, message });
    assert.deepEqual(response.header('cache-control'), ['no-store']);
    const text = JSON.stringify(response.rawHeaders) + response.body;
    assert.doesNotMatch(text, /127\.0\.0\.1|ECONN|socket|\bat \//);
    assert.ok(!text.includes(String(upstream.port)));
  }

  describe('in front of a failing upstream', () => {
    it('respond 502 if its host is unknown or not configured, and leave the caller’s connection usable', async () => {
      const connection = await open();
      for (const path of ['/api/oauth/x', '/api/oauth-admin/x']) {
        connection.write(requestHead(`GET ${path}`));
        assertError(await connection.response(), 'bad_gateway');
      }
      connection.write(requestHead('GET /api/identity/x'));
      assert.equal((await connection.response()).status, 200);
    });

    it('respond 502 if it refuses the connection, and log the reason without its address', async () => {
      await upstream.close();
      const chunked = ['Transfer-Encoding: chunked'];
      assertError(await send('PUT /api/identity/x', chunked, chunkedBody('body')), 'bad_gateway');
      const response = await get();
      assertError(response, 'bad_gateway');
      const lines = JSON.stringify(proxies.app.logged.filter(({ id }) => id === response.header('x-request-id')[0]));
      assert.match(lines, /ECONNREFUSED/);
      assert.doesNotMatch(lines, /127\.0\.0\.1/);
    });

    for (const [what, fail] of Object.entries<(socket: Socket) => void>({
      'closes the connection': (socket) => socket.end(),
      'resets the connection': (socket) => socket.resetAndDestroy(),
      'does not speak HTTP': (socket) => socket.end('220 mail ready\r\n'),
      'sends both Content-Length and Transfer-Encoding': (socket) =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      'switches protocols': (socket) =>
        void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    }))
      it(`respond 500 if it ${what}, and neither reuse the connection nor repeat the request`, async () => {
        proxies.handler = (_request, socket) => fail(socket);
        assertError(await post(), 'proxy_error');
        assertError(await get(), 'proxy_error');
        await upstream.untilIdle();
        assert.equal(upstream.requests.length, 2);
      });

    for (const [what, bytes] of [
      ['sends nothing', ''],
      ['stops sending within its headers', 'HTTP/1.1 200 OK\r\nX-A: b\r\n'],
    ] as const)
      it(`respond 504 after the timeout if it ${what}, and close the connection to it`, async () => {
        proxies.handler = (_request, socket) => void socket.write(bytes);
        const waiting = [get(), post()];
        await until(() => upstream.requests.length === 2);
        await Promise.all(upstream.requests.map(({ body }) => body));
        proxies.app.passTime(TIMEOUT_MS - 1_000);
        assert.equal(upstream.openConnections(), 2);
        proxies.app.passTime(TIMEOUT_MS + 1_000);
        for (const response of await Promise.all(waiting)) assertError(response, 'gateway_timeout');
        await upstream.untilIdle();
      });
  });

  describe('relaying a response', () => {
    const half = 'half of it';
    const framings = {
      'body with Content-Length': `HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n${half}`,
      'chunked body': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${half.length.toString(16)}\r\n${half}\r\n`,
    };
    const failures: Record<string, (socket: Socket) => void> = {
      'closes the connection': (socket) => void socket.end(),
      'resets the connection': (socket) => socket.resetAndDestroy(),
      'stops sending': () => proxies.app.passTime(TIMEOUT_MS + 1_000),
    };
    for (const [framing, bytes] of Object.entries(framings))
      for (const [what, fail] of Object.entries(failures))
        it(`pass on a ${framing} as incomplete if the upstream ${what}`, async () => {
          let failing: Socket | undefined;
          proxies.handler = (_request, socket) => {
            failing = socket;
            socket.write(bytes);
          };
          const caller = await open(requestHead('GET /api/identity/x'));
          await caller.until(() => caller.pending.includes(half));
          fail(failing ?? assert.fail());
          const response = await caller.response();
          assert.deepEqual([response.status, response.complete], [200, false]);
          await upstream.untilIdle();
          await until(isBrokenOffLogged);
        });

    it('drop bytes beyond its Content-Length instead of sending them to a later caller', async () => {
      proxies.handler = (request, socket) => {
        socket.write(`${rawResponse('200 OK', [], 'mine')}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray`);
        if (request.target === '/2') socket.end();
      };
      assert.equal((await get('/api/identity/1')).body.toString(), 'mine');
      assert.equal((await get('/api/identity/2')).body.toString(), 'mine');
    });
  });

  describe('relaying a request', () => {
    for (const [what, request] of Object.entries({
      'a GET': requestHead('GET /api/identity/x'),
      'a chunked POST that has arrived in full':
        requestHead('POST /api/identity/x', ['Transfer-Encoding: chunked']) + chunkedBody('body'),
    }))
      it(`close the connection to the upstream if the caller disconnects before the response to ${what}`, async () => {
        proxies.handler = () => {};
        const callers = await Promise.all(Array.from({ length: 10 }, () => open(request)));
        await until(() => upstream.requests.length === 10);
        await Promise.all(upstream.requests.map(({ body }) => body));
        for (const caller of callers) caller.close();
        await upstream.untilIdle();
      });

    it('close the connection to the upstream if the caller disconnects within the response, and log no upstream failure', async () => {
      proxies.handler = (_request, socket) =>
        void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n${'x'.repeat(5000)}`);
      const callers = await Promise.all(Array.from({ length: 10 }, () => open(requestHead('GET /api/identity/x'))));
      for (const caller of callers) await caller.until(() => caller.pendingBytes > 3000);
      for (const caller of callers) caller.close();
      await upstream.untilIdle();
      assert.ok(!isBrokenOffLogged());
    });

    it('abort the request to the upstream if the caller disconnects within the body, and record it without a status', async () => {
      proxies.handler = () => {};
      const chunkedPost = requestHead('POST /api/identity-admin/x', ['Transfer-Encoding: chunked']);
      const caller = await open(`${chunkedPost}4\r\nbody\r\n`);
      await until(() => (upstream.requests[0]?.received ?? 0) > 0);
      caller.close();
      await upstream.untilIdle();
      await assert.rejects(upstream.requests[0]?.body ?? Promise.resolve());
      await until(() => proxies.app.writes.length === 1);
      assert.equal(proxies.app.writes[0]?.details.status, null);
    });

    it('respond 408 if the caller stops sending within the body, and close both connections', async () => {
      const caller = await open(`${requestHead('POST /api/identity/x', ['Content-Length: 1000'])}body`);
      await until(() => upstream.requests[0]?.received === 4);
      proxies.app.passTime(TIMEOUT_MS + 1_000);
      const response = await caller.response();
      assert.equal(response.status, 408);
      assert.equal(JSON.parse(response.body.toString()).error, 'request_timeout');
      assert.deepEqual(response.header('connection'), ['close']);
      await caller.untilClosed();
      await upstream.untilIdle();
    });
  });

  it('do not forward the rest of a request body after the response, and leave the caller’s connection usable', async () => {
    proxies.handler = (_request, socket) =>
      void socket.write(rawResponse('413 Too Large', ['Content-Type: application/json'], '{"e":1}'));
    const caller = await open(`${requestHead('POST /api/identity/x', ['Content-Length: 2000000'])}begin`);
    const response = await caller.response();
    assert.deepEqual([response.status, response.body.toString()], [413, '{"e":1}']);
    await upstream.untilIdle();
    const { received } = upstream.requests[0] ?? assert.fail();
    proxies.handler = echoRequest;
    caller.write('x'.repeat(1_999_995) + requestHead('GET /api/identity/next'));
    assert.equal((await caller.response()).status, 200);
    assert.equal(upstream.requests[0]?.received, received);
    assert.equal(upstream.requests[1]?.target, '/next');
  });
});
