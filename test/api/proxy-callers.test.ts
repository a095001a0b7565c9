import assert from 'node:assert/strict';
import { until } from '../support/eventually.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { echo, type RawHandler, type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

const TIMEOUT_MS = 10_000;

describe('a caller of the proxies', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let handler: RawHandler;

  beforeEach(async () => {
    handler = echo;
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    app = await startProxyApp({ identity: upstream.url, 'identity-admin': upstream.url }, { timeoutMs: TIMEOUT_MS });
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  const callerOf = async (request: string): Promise<RawConnection> => {
    const caller = await RawConnection.open(app.port);
    caller.write(request);
    return caller;
  };

  for (const [what, request] of Object.entries({
    'a GET': head('GET /api/identity/x'),
    'a chunked POST that has arrived whole': `${head('POST /api/identity/x', ['Transfer-Encoding: chunked'])}4\r\nbody\r\n0\r\n\r\n`,
  }))
    it(`leaves before the answer to ${what}: the upstream’s connection is closed`, async () => {
      handler = () => {};
      const callers = await Promise.all(Array.from({ length: 10 }, () => callerOf(request)));
      await until(() => upstream.requests.length === 10);
      await Promise.all(upstream.requests.map(({ body }) => body));
      for (const caller of callers) caller.close();
      await upstream.idle();
    });

  it('disconnects within the response: the upstream’s connection is closed, and nothing is logged against it', async () => {
    handler = (_request, socket) =>
      void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n${'x'.repeat(5000)}`);
    const callers = await Promise.all(Array.from({ length: 10 }, () => callerOf(head('GET /api/identity/x'))));
    for (const caller of callers) await caller.until(() => caller.pendingBytes > 3000);
    for (const caller of callers) caller.close();
    await upstream.idle();
    assert.ok(!app.logged.some(({ msg }) => msg === 'the upstream broke off its response'));
  });

  it('disconnects within its body: the upstream sees it truncated', async () => {
    handler = () => {};
    const caller = await callerOf(`${head('POST /api/identity-admin/x', ['Transfer-Encoding: chunked'])}4\r\nbody\r\n`);
    await until(() => (upstream.requests[0]?.received ?? 0) > 0);
    caller.close();
    await upstream.idle();
    await assert.rejects(upstream.requests[0]?.body ?? Promise.resolve());
    await until(() => app.writes.length === 1);
    assert.equal(app.writes[0]?.details.status, null);
  });

  it('stops sending within its body: 408, and both connections are closed', async () => {
    const caller = await callerOf(`${head('POST /api/identity/x', ['Content-Length: 1000'])}body`);
    await until(() => upstream.requests[0]?.received === 4);
    app.pass(TIMEOUT_MS + 1_000);
    const result = await caller.response();
    assert.equal(result.status, 408);
    assert.equal(JSON.parse(result.body.toString()).error, 'request_timeout');
    assert.deepEqual(result.header('connection'), ['close']);
    await caller.closed();
    await upstream.idle();
  });

  it('gets a response before its body has ended: the rest is not forwarded, and its connection remains usable', async () => {
    handler = (_request, socket) =>
      void socket.write(rawResponse('413 Too Large', ['Content-Type: application/json'], '{"e":1}'));
    const caller = await callerOf(`${head('POST /api/identity/x', ['Content-Length: 2000000'])}begin`);
    const result = await caller.response();
    assert.deepEqual([result.status, result.body.toString()], [413, '{"e":1}']);
    await upstream.idle();
    const { received } = upstream.requests[0] ?? assert.fail();
    handler = echo;
    caller.write('x'.repeat(1_999_995) + head('GET /api/identity/next'));
    assert.equal((await caller.response()).status, 200);
    assert.equal(upstream.requests[0]?.received, received);
    assert.equal(upstream.requests[1]?.target, '/next');
    caller.close();
  });
});
