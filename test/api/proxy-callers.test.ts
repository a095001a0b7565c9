import assert from 'node:assert/strict';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { answer, echo, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

describe('a caller of the proxies', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let handler: RawHandler;

  const begin = async (timeoutMs: number): Promise<void> => {
    handler = echo;
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    app = await startProxyApp({ identity: upstream.url, 'identity-admin': upstream.url }, { timeoutMs });
  };
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  describe('whom no time limit ends', () => {
    beforeEach(() => begin(600_000));

    for (const [what, request] of Object.entries({
      'a GET': head('GET /api/identity/x'),
      'a POST without a body': head('POST /api/identity-admin/x', ['Content-Length: 0']),
      'a POST that has arrived whole': `${head('POST /api/identity-admin/x', ['Content-Length: 4'])}body`,
      'a chunked POST that has arrived whole': `${head('POST /api/identity/x', ['Transfer-Encoding: chunked'])}4\r\nbody\r\n0\r\n\r\n`,
    }))
      it(`leaves before the answer to ${what}: the upstream’s connection is closed, 50 times`, async () => {
        handler = () => {};
        const callers = await Promise.all(Array.from({ length: 50 }, () => RawConnection.open(app.port)));
        for (const caller of callers) caller.write(request);
        while (upstream.requests.length < 50) await new Promise((resolve) => setTimeout(resolve, 2));
        await Promise.all(upstream.requests.map(({ body }) => body));
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
      assert.ok(!app.logged.some(({ msg }) => msg === 'upstream broke off its response'));
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
  });

  describe('with a short time limit', () => {
    beforeEach(() => begin(300));

    it('falls silent inside its body: 408, and both connections are gone', async () => {
      const caller = await RawConnection.open(app.port);
      caller.write(`${head('POST /api/identity/x', ['Content-Length: 1000'])}body`);
      const result = await caller.answer();
      assert.equal(result.status, 408);
      assert.equal(JSON.parse(result.body.toString()).error, 'request_timeout');
      assert.deepEqual(result.header('connection'), ['close']);
      await caller.closed();
      await upstream.idle();
    });

    it('takes longer than the limit to send its body: the header clock starts when the body has ended', async () => {
      const caller = await RawConnection.open(app.port);
      caller.write(head('POST /api/identity/x', ['Content-Length: 10']));
      for (let index = 0; index < 10; index += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
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

    it('goes on sending after the upstream has answered: its connection ends, and nothing more of the body reaches it', async () => {
      handler = (_request, socket) =>
        void socket.write(answer('413 Too Large', ['Content-Type: application/json'], '{}'));
      const caller = await RawConnection.open(app.port);
      caller.write(`${head('POST /api/identity/x', ['Content-Length: 2000000'])}begin`);
      assert.equal((await caller.answer()).status, 413);
      await upstream.idle();
      const { received } = upstream.requests[0] ?? assert.fail();
      caller.write('x'.repeat(1_999_995) + head('GET /api/identity/next'));
      handler = echo;
      assert.equal((await caller.answer()).status, 200);
      assert.equal(upstream.requests[0]?.received, received);
      assert.equal(upstream.requests[1]?.target, '/next');
      caller.close();
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
      // Within the same turn: what it reads before that is not held back.
      caller.socket.once('data', () => caller.socket.pause());
      caller.write(head('GET /api/identity/x'));
      await caller.until(() => caller.pendingBytes > 0);
      await new Promise((resolve) => setTimeout(resolve, 800));
      assert.ok(sent < size, `the upstream produced ${sent} bytes for a caller that reads nothing`);
      caller.socket.resume();
      const result = await caller.answer();
      assert.ok(result.complete);
      assert.equal(result.body.length, size);
      caller.close();
    });
  });
});
