import assert from 'node:assert/strict';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { chunked, head, RawConnection, sendRaw } from '../support/raw-client.ts';
import { echo, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

/** A DELETE or GET with a body is where libraries differ. */
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];
/** A body that is itself a request: a proxy that miscounts its frame would forward it as one. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';

describe('framing through the proxies', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let handler: RawHandler;

  before(async () => {
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    app = await startProxyApp({ identity: upstream.url, 'identity-admin': upstream.url });
  });
  after(async () => {
    await app.close();
    await upstream.close();
  });
  beforeEach(() => {
    handler = echo;
    upstream.requests.length = 0;
    upstream.dropConnections();
  });

  const seen = () => upstream.requests.at(-1) ?? assert.fail('the upstream saw no request');

  for (const method of METHODS)
    for (const [framing, sent] of [
      ['Transfer-Encoding: chunked', chunked(SMUGGLED, 'end')],
      [`Content-Length: ${SMUGGLED.length}`, SMUGGLED],
    ] as const)
      it(`a ${method} with ${framing} leaves with it, and its body is no second request`, async () => {
        const connection = await RawConnection.open(app.port);
        connection.write(head(`${method} /api/identity/first`, [framing]) + sent + head('GET /api/identity/second'));
        assert.equal((await connection.response(method)).status, 200);
        assert.equal(JSON.parse((await connection.response()).body.toString()).url, '/second');
        connection.close();
        const [first, second, ...others] = upstream.requests;
        assert.deepEqual([first?.target, second?.target, others], ['/first', '/second', []]);
        const lines = ['Transfer-Encoding', 'Content-Length'].flatMap((name) =>
          (first?.header(name) ?? []).map((value) => `${name}: ${value}`),
        );
        assert.deepEqual(lines, [framing]);
        assert.equal((await first?.body)?.toString('latin1'), sent === SMUGGLED ? SMUGGLED : `${SMUGGLED}end`);
      });

  it('100 Continue is answered before the body is sent', async () => {
    const connection = await RawConnection.open(app.port);
    connection.write(head('PUT /api/identity/x', ['Content-Length: 4', 'Expect: 100-continue']));
    await connection.until(() => connection.pending.startsWith('HTTP/1.1 100 '));
    connection.write('body');
    assert.equal(JSON.parse((await connection.response()).body.toString()).body, 'body');
    connection.close();
    assert.deepEqual(seen().header('expect'), []);
  });

  describe('requests that can be read in two ways', () => {
    const attempts: Record<string, string> = {
      'a length and a transfer coding':
        head('POST /api/identity/x', ['Content-Length: 4', 'Transfer-Encoding: chunked']) + chunked(SMUGGLED),
      'obsolete folding of a header':
        head('POST /api/identity/x', ['X-A: b', ' Transfer-Encoding: chunked']) + chunked(SMUGGLED),
      'a space before the colon': head('POST /api/identity/x', ['Transfer-Encoding : chunked']) + chunked(SMUGGLED),
      'a chunk longer than it says': `${head('POST /api/identity/x', ['Transfer-Encoding: chunked'])}2\r\nbody\r\n0\r\n\r\n`,
      'a length among the trailers': `${head('POST /api/identity/x', ['Transfer-Encoding: chunked'])}4\r\nbody\r\n0\r\nContent-Length: 3\r\n\r\n`,
    };
    for (const [what, request] of Object.entries(attempts))
      it(`${what}: the upstream is sent no request that was not meant, and the connection closes`, async () => {
        const connection = await RawConnection.open(app.port);
        connection.write(request);
        const result = await connection.response();
        assert.equal(result.status, 400);
        assert.equal(JSON.parse(result.body.toString()).error, 'bad_request');
        await connection.closed();
        // A malformed chunk is found only after the head was forwarded: the upstream never sees the end of the body.
        for (const request of upstream.requests) {
          assert.equal(request.target, '/x');
          await assert.rejects(request.body);
        }
        assert.ok(upstream.requests.length <= 1);
      });

    it('chunk extensions and trailers are read and not passed on', async () => {
      const body = `4;ext="a b";y=z\r\nbody\r\n0;x\r\nX-Trailer: 1\r\n\r\n`;
      const result = await sendRaw(
        app.port,
        head('POST /api/identity/x', ['Transfer-Encoding: chunked', 'Trailer: X-Trailer']) + body,
      );
      const { headers, body: received } = JSON.parse(result.body.toString());
      assert.equal(received, 'body');
      assert.ok(!JSON.stringify(headers).includes('railer'));
    });
  });

  describe('of the answer', () => {
    const bodiless: [string, string, string[]][] = [
      ['GET', '204 No Content', ['Content-Length: 0']],
      ['GET', '304 Not Modified', ['ETag: "x"']],
      ['HEAD', '200 OK', ['Content-Length: 12345']],
    ];
    for (const [method, status, headers] of bodiless)
      it(`${status} to ${method} with ${headers.join()} has no body, and the connection serves on`, async () => {
        handler = (request, socket) => {
          if (request.target === '/next') return echo(request, socket);
          socket.write(`HTTP/1.1 ${status}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`);
        };
        const connection = await RawConnection.open(app.port);
        connection.write(head(`${method} /api/identity/x`) + head('GET /api/identity/next'));
        const first = await connection.response(method);
        assert.equal(first.status, Number(status.slice(0, 3)));
        if (headers[0] === 'Content-Length: 12345') assert.deepEqual(first.header('content-length'), ['12345']);
        // A 204 has no length either (RFC 9110, section 8.6).
        if (status.startsWith('204')) assert.deepEqual(first.header('content-length'), []);
        assert.equal(JSON.parse((await connection.response()).body.toString()).url, '/next');
        connection.close();
      });

    it('a chunked one arrives chunked, piece by piece, its extensions and trailers dropped', async () => {
      let proceed = (): void => {};
      handler = (_request, socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\none\r\n');
        proceed = () => socket.write('3\r\ntwo\r\n0\r\nX-Trailer: 1\r\n\r\n');
      };
      const connection = await RawConnection.open(app.port);
      connection.write(head('GET /api/identity/x'));
      await connection.until(() => connection.pending.includes('one\r\n'));
      proceed();
      const result = await connection.response();
      assert.deepEqual(result.header('transfer-encoding'), ['chunked']);
      assert.equal(result.body.toString(), 'onetwo');
      assert.equal(connection.pending, '');
      connection.close();
    });

    it('one that ends with the connection arrives complete for HTTP/1.1 and HTTP/1.0 callers', async () => {
      handler = (_request, socket) => socket.end('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end');
      const modern = await sendRaw(app.port, head('GET /api/identity/x'));
      assert.equal(modern.body.toString(), 'until the end');
      assert.ok(modern.complete);
      const old = await sendRaw(app.port, 'GET /api/identity/x HTTP/1.0\r\nHost: localhost\r\n\r\n');
      assert.deepEqual(old.header('transfer-encoding'), []);
      assert.equal(old.body.toString(), 'until the end');
      assert.ok(old.complete);
    });
  });
});
