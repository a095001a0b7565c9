import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import type { Socket } from 'node:net';
import { upstreamAgent } from '../../server/upstream/agent.ts';
import { UPSTREAMS } from '../../shared/upstreams.ts';
import { eventually, until } from '../support/eventually.ts';
import { proxiesOfTest } from '../support/proxy-app.ts';
import { chunkedBody, requestHead } from '../support/raw-client.ts';
import { echoRequest, rawResponse } from '../support/raw-upstream.ts';

describe('the connections of the proxies', () => {
  const proxies = proxiesOfTest();
  const { upstream, open, send } = proxies;
  const get = () => send('GET /api/identity/x');

  it('cause no Node warning on any prefix, with or without a body', async () => {
    const warnings: Error[] = [];
    // http-proxy-middleware itself uses deprecated functions.
    const note = (warning: Error): void => void (warning.name !== 'DeprecationWarning' && warnings.push(warning));
    process.on('warning', note);
    for (const { name } of UPSTREAMS) {
      const path = `/api/${name}/x`;
      assert.equal((await send(`GET ${path}`)).status, 200);
      assert.equal((await send(`POST ${path}`, ['Content-Length: 1'], 'x')).status, 200);
    }
    process.off('warning', note);
    assert.deepEqual(warnings, []);
  });

  it('serve two hundred GETs without a failure although the upstream closes each after its second response', async () => {
    proxies.handler = (request, socket) => {
      if (request.sequence < 2) socket.write(rawResponse('200 OK', [], request.target));
      if (request.sequence >= 1) socket.destroySoon();
    };
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const caller = await open();
        for (let index = 0; index < 20; index += 1) {
          caller.write(requestHead(`GET /api/identity/${index}`));
          assert.equal((await caller.response()).body.toString(), `/${index}`);
        }
      }),
    );
  });

  /** Only a GET without a body is repeated: bodies are streamed, and cannot be sent again. */
  for (const [method, headers, body, isRepeated] of [
    ['GET', [], '', true],
    ['DELETE', [], '', false],
    ['POST', [], '', false],
    ['GET', ['Content-Length: 1'], 'x', false],
    ['GET', ['Transfer-Encoding: chunked'], chunkedBody('x'), false],
  ] as const)
    it(`may close during a ${method} with ${headers[0] ?? 'no body'}, which is ${isRepeated ? 'then repeated on another' : 'not repeated'}`, async () => {
      await get();
      proxies.handler = (request, socket) => (request.sequence > 0 ? socket.destroy() : echoRequest(request, socket));
      const before = upstream.requests.length;
      const { status } = await send(`${method} /api/identity/again`, headers, body);
      assert.equal(status, isRepeated ? 200 : 500);
      assert.equal(upstream.requests.length - before, isRepeated ? 2 : 1);
    });

  it('are closed if they receive unsolicited bytes, and the next caller gets its own response', async () => {
    proxies.handler = (request, socket) => {
      socket.write(rawResponse('200 OK', [], request.target, request.method));
      setTimeout(() => socket.write(rawResponse('200 OK', [], 'for another caller')), 20);
    };
    assert.equal((await get()).status, 200);
    await until(() => upstream.openConnections() === 0);
    assert.equal((await get()).body.toString(), '/x');
    assert.equal(upstream.accepted, 2);
  });

  it('carry no request that begins when they are five minutes old, even if they are never idle', async () => {
    let seconds = 0;
    const agent = upstreamAgent('http:', 1, () => seconds * 1_000);
    const accepted: number[] = [];
    for (seconds of [0, 150, 295, 297, 300, 301]) {
      const [response] = await once(httpGet(upstream.url, { agent }), 'response');
      await once(response.resume(), 'close');
      await new Promise(setImmediate);
      accepted.push(upstream.accepted);
    }
    assert.deepEqual(accepted, [1, 1, 1, 1, 2, 2]);
    agent.destroy();
  });

  it('are not reused after a HEAD, because a body may still arrive', async () => {
    let late: Socket | undefined;
    proxies.handler = ({ target, method }, socket) => {
      if (method === 'HEAD') late = socket;
      else if (late?.writable) late.write(rawResponse('200 OK', [], 'for another caller'));
      socket.write(rawResponse('200 OK', [], target, method));
    };
    assert.equal((await send('HEAD /api/identity/x')).status, 200);
    assert.equal((await get()).body.toString(), '/x');
  });
});

describe('slow transfers through the proxies', () => {
  /** After this time, a side that has transferred less than 30 KiB has failed. */
  const SLOW_MS = 30_000;
  /** Longer than other callers wait for a stalled connection; three times as long is still shorter than SLOW_MS. */
  const STALLED_MS = 2_500;
  const CONNECTIONS = 128;
  const proxies = proxiesOfTest({
    keepBodies: false,
    handler: async (request, socket) => {
      await request.body.catch(() => {});
      if (!socket.destroyed) socket.write(rawResponse('200 OK', [], String(request.received)));
    },
    shareKey: (req) => String(req.headers['x-caller'] ?? 'anyone'),
  });
  const { upstream, open, send } = proxies;
  async function dribbleUploads(caller: string, count: number): Promise<void> {
    const request = `${requestHead('POST /api/identity/x', [`X-Caller: ${caller}`, 'Content-Length: 1000000'])}x`;
    await Promise.all(Array.from({ length: count }, () => open(request)));
    // A slow machine needs this long for so many connections.
    await eventually(() => upstream.openConnections() >= Math.min(count, CONNECTIONS), true, undefined, 50_000);
  }
  const get = (caller: string) => send('GET /api/identity/y', [`X-Caller: ${caller}`]);

  it('leave connections for 20 other callers, even if one caller has 140 slow uploads', async () => {
    await dribbleUploads('attacker', 140);
    for (let round = 0; round < 3; round += 1) {
      proxies.app.passTime(STALLED_MS);
      const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => get(`other-${index}`)));
      assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
    }
  });

  it('are aborted even if no other caller waits, both uploads and responses that the caller does not read', async () => {
    proxies.handler = (request, socket) => {
      if (request.method === 'GET') socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n`);
      if (request.method === 'GET') socket.write(Buffer.alloc(100_000_000));
    };
    await dribbleUploads('attacker', 5);
    for (let index = 0; index < 5; index += 1) {
      const connection = await open(requestHead('GET /api/identity/large', ['X-Caller: attacker']));
      await connection.readHead();
      connection.socket.pause();
    }
    assert.equal(upstream.openConnections(), 10);
    await until(() => {
      proxies.app.passTime(SLOW_MS);
      return upstream.openConnections() === 0;
    });
  });

  it('cause a 503 with Retry-After for a request that gets no connection in time', async () => {
    await proxies.restart({ timeoutMs: 100, shareKey: () => 'one' });
    await dribbleUploads('one', CONNECTIONS);
    for (const response of await Promise.all(Array.from({ length: 20 }, () => get('x')))) {
      assert.equal(response.status, 503);
      assert.equal(JSON.parse(response.body.toString()).error, 'service_unavailable');
      assert.match(response.header('retry-after')[0] ?? '', /^\d+$/);
    }
  });

  it('are aborted if the upstream sends its response too slowly, and that response stays incomplete', async () => {
    proxies.handler = (_request, socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx');
    const caller = await open(requestHead('GET /api/identity/x'));
    await caller.until(() => caller.pending.endsWith('x'));
    proxies.app.passTime(SLOW_MS + 500);
    const response = await caller.response();
    assert.deepEqual([response.status, response.complete], [200, false]);
    await upstream.untilIdle();
  });
});
