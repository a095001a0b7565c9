import assert from 'node:assert/strict';
import { startFirstBytes, TLS_HANDSHAKE } from '../support/first-bytes.ts';
import { freePort } from '../support/free-port.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { ask, head, RawConnection } from '../support/raw-client.ts';
import { answer, echo, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';
import { slowly } from '../support/slowly.ts';

describe('connections to an upstream that are kept alive', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let handler: RawHandler;

  beforeEach(async () => {
    handler = echo;
    upstream = await startRawUpstream((request, socket) => handler(request, socket), { port: await freePort() });
    app = await startProxyApp({ identity: upstream.url, 'identity-admin': upstream.url }, { timeoutMs: 10_000 });
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  const get = () => ask(app.port, head('GET /api/identity/x'));

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

  it('a safe request with a body that dies on one is not repeated: its body is gone', async () => {
    for (const framing of ['Content-Length: 1', 'Transfer-Encoding: chunked']) {
      handler = echo;
      upstream.dropConnections();
      await upstream.idle();
      await get();
      handler = (request, socket) => (request.sequence > 0 ? socket.destroy() : echo(request, socket));
      const before = upstream.requests.length;
      const body = framing.startsWith('C') ? 'x' : '1\r\nx\r\n0\r\n\r\n';
      const result = await ask(app.port, head('GET /api/identity/again', [framing]) + body);
      assert.equal(result.status, 500, framing);
      assert.equal(upstream.requests.length - before, 1, framing);
    }
  });

  it('a fresh connection that dies is not tried again', async () => {
    handler = (_request, socket) => socket.destroy();
    assert.equal((await get()).status, 500);
    assert.equal(upstream.requests.length, 1);
  });

  it('to an https address are TLS: neither key nor body leaves in plain text', async () => {
    const peer = await startFirstBytes();
    const secure = await startProxyApp(
      { 'identity-admin': `https://127.0.0.1:${peer.port}` },
      { authorization: slowly(async () => 'Bearer stored') },
    );
    const result = await ask(secure.port, `${head('PUT /api/identity-admin/x', ['Content-Length: 5'])}plain`);
    await secure.close();
    peer.close();
    assert.equal(result.status, 500);
    assert.equal(peer.arrived[0]?.[0], TLS_HANDSHAKE);
    assert.doesNotMatch(Buffer.concat(peer.arrived).toString('latin1'), /stored|plain/);
  });

  it('at most 128 are open to one upstream, and what waits for one beyond the limit is answered', async () => {
    handler = (_request, socket) => void setTimeout(() => socket.write(answer('200 OK', [], 'x')), 50);
    const results = await Promise.all(Array.from({ length: 300 }, () => get()));
    assert.ok(results.every(({ status }) => status === 200));
    assert.ok(upstream.accepted <= 128, `${upstream.accepted} connections`);
  });

  it('4,000 requests across restarts of the upstream: nothing leaks, nothing is left unhandled', async () => {
    let answered = 0;
    let down = 0;
    const callers = await Promise.all(Array.from({ length: 40 }, () => RawConnection.open(app.port)));
    const { port } = upstream;
    const work = Promise.all(
      callers.map(async (caller) => {
        for (let index = 0; index < 100; index += 1) {
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
    assert.equal(answered + down, 4_000);
    assert.ok(answered > 1_000, `${answered} answered`);
    assert.equal((await get()).status, 200);
    assert.ok(upstream.open() <= 128);
    await app.close();
    upstream.dropConnections();
    await upstream.idle();
  });
});
