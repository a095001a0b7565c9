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
      { timeoutMs: 120 },
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
            assert.ok(app.logged.some(({ msg }) => msg === 'upstream broke off its answer'));
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
          await new Promise((resolve) => setTimeout(resolve, 40));
          socket.write(String(index));
        }
      };
      const result = await get();
      assert.equal(result.body.toString(), '0123456789');
      assert.ok(result.complete);
    });
  });

  describe('and the caller', () => {
    it('leaves before the answer: the upstream’s connection is gone, 50 times', async () => {
      handler = () => {};
      const callers = await Promise.all(Array.from({ length: 50 }, () => RawConnection.open(app.port)));
      for (const caller of callers) caller.write(head('GET /api/identity/x'));
      while (upstream.requests.length < 50) await new Promise((resolve) => setTimeout(resolve, 2));
      for (const caller of callers) caller.close();
      await upstream.idle();
    });

    it('leaves inside the answer: the upstream’s connection is gone', async () => {
      handler = (_request, socket) => {
        const more = (): void => {
          if (!socket.destroyed) socket.write('x'.repeat(1000), () => setTimeout(more, 1));
        };
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n');
        more();
      };
      const callers = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(app.port)));
      for (const caller of callers) caller.write(head('GET /api/identity/x'));
      for (const caller of callers) await caller.until(() => caller.pendingBytes > 3000);
      for (const caller of callers) caller.close();
      await upstream.idle();
      assert.ok(!app.logged.some(({ msg }) => msg === 'upstream broke off its answer'));
    });

    for (const framing of ['Content-Length: 1000', 'Transfer-Encoding: chunked'])
      it(`leaves inside its body (${framing}): the upstream sees it cut short`, async () => {
        handler = () => {};
        const caller = await RawConnection.open(app.port);
        caller.write(`${head('POST /api/identity-admin/x', [framing])}4\r\nbody\r\n`);
        while ((upstream.requests[0]?.received ?? 0) === 0) await new Promise((resolve) => setTimeout(resolve, 2));
        caller.close();
        await upstream.idle();
        await assert.rejects(upstream.requests[0]?.body ?? Promise.resolve());
        while (app.writes.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
        assert.equal(app.writes[0]?.details.status, null);
      });

    it('falls silent inside its body: 408, and both connections are gone', async () => {
      const caller = await RawConnection.open(app.port);
      caller.write(`${head('POST /api/identity/x', ['Content-Length: 1000'])}body`);
      const result = await caller.answer();
      assert.equal(result.status, 408);
      assert.equal(JSON.parse(result.body.toString()).error, 'request_timeout');
      await caller.closed();
      await upstream.idle();
    });

    it('takes longer than the limit to send its body: the header clock starts when the body has ended', async () => {
      const caller = await RawConnection.open(app.port);
      caller.write(head('POST /api/identity/x', ['Content-Length: 10']));
      for (let index = 0; index < 10; index += 1) {
        await new Promise((resolve) => setTimeout(resolve, 40));
        caller.write(String(index));
      }
      const result = await caller.answer();
      assert.equal(result.status, 200);
      assert.equal(JSON.parse(result.body.toString()).body, '0123456789');
      caller.close();
    });

    it('is answered before its body has ended: the answer arrives, the rest goes nowhere', async () => {
      handler = (_request, socket) =>
        void socket.end(answer('413 Too Large', ['Content-Type: application/json'], '{"e":1}'));
      const caller = await RawConnection.open(app.port);
      caller.write(`${head('POST /api/identity/x', ['Content-Length: 2000000'])}begin`);
      const result = await caller.answer();
      assert.equal(result.status, 413);
      assert.equal(result.body.toString(), '{"e":1}');
      caller.close();
      await upstream.idle();
    });

    it('reads nothing for longer than the limit: the clock does not run, and the body arrives whole', async () => {
      const size = 30_000_000;
      let sent = 0;
      handler = (_request, socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
        const block = Buffer.alloc(100_000, 'x');
        const more = (): void => {
          while (sent < size) {
            sent += block.length;
            if (!socket.write(block)) return void socket.once('drain', more);
          }
        };
        more();
      };
      const caller = await RawConnection.open(app.port);
      caller.write(head('GET /api/identity/x'));
      await caller.until(() => caller.pendingBytes > 0);
      caller.socket.pause();
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.ok(sent < size, `the upstream produced ${sent} bytes for a caller that reads nothing`);
      caller.socket.resume();
      const result = await caller.answer();
      assert.ok(result.complete);
      assert.equal(result.body.length, size);
      caller.close();
    });
  });

  describe('connections kept alive', () => {
    it('1,000 GETs over connections that the upstream closes after every second answer: none fails', async () => {
      handler = (request, socket) => {
        if (request.sequence < 2) socket.write(answer('200 OK', [], request.target));
        if (request.sequence >= 1) socket.destroySoon();
      };
      const callers = await Promise.all(Array.from({ length: 10 }, () => RawConnection.open(app.port)));
      await Promise.all(
        callers.map(async (caller) => {
          for (let index = 0; index < 100; index += 1) {
            caller.write(head(`GET /api/identity/${index}`));
            assert.equal((await caller.answer()).body.toString(), `/${index}`);
          }
          caller.close();
        }),
      );
    });

    it('a request that dies on one is repeated at most twice, only without a body and only if it is safe', async () => {
      for (const [method, expected] of Object.entries({ GET: 200, HEAD: 200, OPTIONS: 200, DELETE: 500, POST: 500 })) {
        handler = echo;
        upstream.dropConnections();
        await upstream.idle();
        await get();
        handler = (request, socket) => (request.sequence > 0 ? socket.destroy() : echo(request, socket));
        const before = upstream.requests.length;
        const result = await ask(app.port, head(`${method} /api/identity/again`));
        assert.equal(result.status, expected, method);
        assert.equal(upstream.requests.length - before, expected === 200 ? 2 : 1, method);
      }
    });

    it('a fresh connection that dies is not tried again', async () => {
      handler = (_request, socket) => socket.destroy();
      assert.equal((await get()).status, 500);
      assert.equal(upstream.requests.length, 1);
    });

    it('at most 128 are open to one upstream, and what waits for one beyond the limit is answered', async () => {
      handler = (_request, socket) => void setTimeout(() => socket.write(answer('200 OK', [], 'x')), 80);
      const results = await Promise.all(Array.from({ length: 300 }, () => get()));
      assert.ok(results.every(({ status }) => status === 200));
      assert.ok(upstream.accepted <= 128, `${upstream.accepted} connections`);
    });

    it('10,000 requests across restarts of the upstream: nothing leaks, nothing is left unhandled', async () => {
      let answered = 0;
      let down = 0;
      const callers = await Promise.all(Array.from({ length: 40 }, () => RawConnection.open(app.port)));
      const { port } = upstream;
      const work = Promise.all(
        callers.map(async (caller) => {
          for (let index = 0; index < 250; index += 1) {
            caller.write(head('GET /api/identity/x'));
            const { status } = await caller.answer();
            if (status === 200) answered += 1;
            else down += 1;
          }
          caller.close();
        }),
      );
      for (let restart = 0; restart < 3; restart += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        await upstream.close();
        upstream = await startRawUpstream((request, socket) => handler(request, socket), { port });
      }
      await work;
      assert.equal(answered + down, 10_000);
      assert.ok(answered > 5_000, `${answered} answered`);
      assert.equal((await get()).status, 200);
      assert.ok(upstream.open() <= 128);
      await app.close();
      upstream.dropConnections();
      await upstream.idle();
    });
  });
});
