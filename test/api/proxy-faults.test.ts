import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { ask, chunked, head, RawConnection } from '../support/raw-client.ts';
import { answer, echo, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

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
      { timeoutMs: 300 },
    );
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  const get = (path = '/api/identity/x') => ask(app.port, head(`GET ${path}`));
  const isError = (result: Awaited<ReturnType<typeof ask>>, code: keyof typeof TEXTS): void => {
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
    it('not configured: 502', async () => isError(await get('/api/oauth-admin/x'), 'bad_gateway'));
    it('name not resolved: 502', async () => isError(await get('/api/oauth/x'), 'bad_gateway'));
    it('connection refused: 502, with a body on its way too', async () => {
      await upstream.close();
      isError(await get(), 'bad_gateway');
      isError(await ask(app.port, `${head('POST /api/identity/x', ['Content-Length: 4'])}body`), 'bad_gateway');
      isError(
        await ask(app.port, head('PUT /api/identity/x', ['Transfer-Encoding: chunked']) + chunked('body')),
        'bad_gateway',
      );
    });

    const faults: Record<string, [(socket: Socket) => void, keyof typeof TEXTS]> = {
      'closed without a word': [(socket) => socket.end(), 'proxy_error'],
      reset: [(socket) => socket.resetAndDestroy(), 'proxy_error'],
      'closed inside the status line': [(socket) => socket.end('HTTP/1.1 20'), 'proxy_error'],
      'closed inside the headers': [(socket) => socket.end('HTTP/1.1 200 OK\r\nX-A: b\r\n'), 'proxy_error'],
      silent: [() => {}, 'gateway_timeout'],
      'silent inside the headers': [(socket) => void socket.write('HTTP/1.1 200 OK\r\nX-A: b\r\n'), 'gateway_timeout'],
      'silent after an interim answer': [
        (socket) => void socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'),
        'gateway_timeout',
      ],
      'not HTTP': [(socket) => socket.end('220 mail ready\r\n'), 'proxy_error'],
      'a status below 100': [(socket) => socket.end('HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n'), 'proxy_error'],
      'a status of four digits': [(socket) => socket.end('HTTP/1.1 2000 OK\r\n\r\n'), 'proxy_error'],
      'conflicting lengths': [
        (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
        'proxy_error',
      ],
      'a length and a transfer coding': [
        (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
        'proxy_error',
      ],
      'a malformed header': [(socket) => socket.end('HTTP/1.1 200 OK\r\nX Y: z\r\n\r\n'), 'proxy_error'],
      'headers too large': [
        (socket) => socket.end(`HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(100_000)}\r\n\r\n`),
        'proxy_error',
      ],
      'switching protocols': [
        (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
        'proxy_error',
      ],
    };
    for (const [what, [fault, code]] of Object.entries(faults))
      for (const method of ['GET', 'POST'])
        it(`${what}, to a ${method}: ${TEXTS[code][0]}, and its connection is gone`, async () => {
          handler = (_request, socket) => fault(socket);
          const body = method === 'POST' ? ['Content-Length: 4'] : [];
          isError(
            await ask(app.port, head(`${method} /api/identity/x`, body) + (method === 'POST' ? 'body' : '')),
            code,
          );
          await upstream.idle();
          assert.equal(upstream.requests.length, 1);
        });

    it('the caller’s connection serves on after each failure', async () => {
      const connection = await RawConnection.open(app.port);
      for (const path of ['/api/oauth/x', '/api/oauth-admin/x', '/api/identity/x']) {
        connection.write(head(`GET ${path}`));
        const result = await connection.answer();
        assert.equal(result.status, path === '/api/identity/x' ? 200 : 502);
      }
      connection.close();
    });

    it('details are logged under the id that the caller got, without addresses', async () => {
      await upstream.close();
      const result = await get();
      const lines = app.logged.filter(({ id }) => id === result.header('x-request-id')[0]);
      assert.ok(lines.some((line) => JSON.stringify(line).includes('ECONNREFUSED')));
      assert.doesNotMatch(JSON.stringify(lines), /127\.0\.0\.1/);
    });

    it('a redirect to another host is not followed', async () => {
      const other = await startRawUpstream(echo);
      handler = (_request, socket) =>
        void socket.write(answer('307 Temporary Redirect', [`Location: ${other.url}/admin/identities`]));
      assert.equal((await get()).status, 307);
      assert.equal(other.requests.length, 0);
      await other.close();
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
      reset: (socket) => void setTimeout(() => socket.resetAndDestroy(), 20),
      silent: () => {},
    };
    for (const [framing, bytes] of Object.entries(framings))
      for (const [ending, end] of Object.entries(endings))
        for (const version of ['1.1', '1.0'])
          it(`${ending} inside a ${framing} body: an HTTP/${version} caller sees that it is cut short`, async () => {
            handler = (_request, socket) => {
              socket.write(bytes);
              end(socket);
            };
            const result = await ask(app.port, `GET /api/identity/x HTTP/${version}\r\nHost: localhost\r\n\r\n`);
            assert.equal(result.status, 200);
            assert.equal(result.complete, false);
            await upstream.idle();
            assert.ok(app.logged.some(({ msg }) => msg === 'upstream broke off its response'));
          });

    it('a malformed chunk: cut short', async () => {
      handler = (_request, socket) => socket.end(`${framings.chunked}zz\r\n`);
      assert.equal((await get()).complete, false);
    });

    it('more than its length: the rest goes to nobody', async () => {
      handler = (request, socket) => {
        socket.write(`${answer('200 OK', [], 'mine')}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray`);
        if (request.target === '/2') socket.end();
      };
      assert.equal((await get('/api/identity/1')).body.toString(), 'mine');
      assert.equal((await get('/api/identity/2')).body.toString(), 'mine');
    });

    it('slow but never silent: it arrives whole, however long it takes', async () => {
      handler = async (_request, socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n');
        for (let index = 0; index < 10; index += 1) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          socket.write(String(index));
        }
      };
      const result = await get();
      assert.equal(result.body.toString(), '0123456789');
      assert.ok(result.complete);
    });
  });
});
