import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { UPSTREAMS } from '../../shared/upstreams.ts';
import { until } from '../support/eventually.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection, sendRaw } from '../support/raw-client.ts';
import {
  echo,
  type RawHandler,
  type RawUpstream,
  rawResponse,
  startFirstBytes,
  startRawUpstream,
  TLS_HANDSHAKE,
} from '../support/raw-upstream.ts';

describe('all prefixes of the proxies', () => {
  it('are used without a warning, with bodies and without', async () => {
    const upstream = await startRawUpstream(echo);
    const app = await startProxyApp(Object.fromEntries(UPSTREAMS.map(({ name }) => [name, upstream.url])));
    const warnings: Error[] = [];
    // The library itself uses what Node no longer wants.
    const note = (warning: Error): void => void (warning.name !== 'DeprecationWarning' && warnings.push(warning));
    process.on('warning', note);
    for (const { name } of UPSTREAMS) {
      const path = `/api/${name}/x`;
      assert.equal((await sendRaw(app.port, head(`GET ${path}`))).status, 200);
      assert.equal((await sendRaw(app.port, `${head(`POST ${path}`, ['Content-Length: 1'])}x`)).status, 200);
    }
    process.off('warning', note);
    await app.close();
    await upstream.close();
    assert.deepEqual(warnings, []);
  });
});

describe('connections to an upstream that are kept alive', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let handler: RawHandler;

  beforeEach(async () => {
    handler = echo;
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    app = await startProxyApp({ identity: upstream.url, 'identity-admin': upstream.url });
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  const get = () => sendRaw(app.port, head('GET /api/identity/x'));

  it('200 GETs over connections that the upstream closes after every second answer: none fails', async () => {
    handler = (request, socket) => {
      if (request.sequence < 2) socket.write(rawResponse('200 OK', [], request.target));
      if (request.sequence >= 1) socket.destroySoon();
    };
    const callers = await Promise.all(Array.from({ length: 10 }, () => RawConnection.open(app.port)));
    await Promise.all(
      callers.map(async (caller) => {
        for (let index = 0; index < 20; index += 1) {
          caller.write(head(`GET /api/identity/${index}`));
          assert.equal((await caller.response()).body.toString(), `/${index}`);
        }
        caller.close();
      }),
    );
  });

  const repeats: [what: string, request: string, isRepeated: boolean][] = [
    ['a GET', head('GET /api/identity/again'), true],
    ['a DELETE', head('DELETE /api/identity/again'), false],
    ['a POST', head('POST /api/identity/again'), false],
    ['a GET with a sized body, which is gone', `${head('GET /api/identity/again', ['Content-Length: 1'])}x`, false],
    [
      'a GET with a chunked body, which is gone',
      `${head('GET /api/identity/again', ['Transfer-Encoding: chunked'])}1\r\nx\r\n0\r\n\r\n`,
      false,
    ],
  ];
  for (const [what, request, isRepeated] of repeats)
    it(`${what} that dies on one is ${isRepeated ? 'repeated' : 'not repeated'}`, async () => {
      await get();
      handler = (request, socket) => (request.sequence > 0 ? socket.destroy() : echo(request, socket));
      const before = upstream.requests.length;
      assert.equal((await sendRaw(app.port, request)).status, isRepeated ? 200 : 500);
      assert.equal(upstream.requests.length - before, isRepeated ? 2 : 1);
    });

  it('one that receives unsolicited bytes is closed: the next caller gets its own response', async () => {
    handler = (request, socket) => {
      socket.write(rawResponse('200 OK', [], request.target, request.method));
      setTimeout(() => socket.write(rawResponse('200 OK', [], 'of somebody else')), 20);
    };
    assert.equal((await get()).status, 200);
    await until(() => upstream.open() === 0);
    assert.equal((await get()).body.toString(), '/x');
    assert.equal(upstream.accepted, 2);
  });

  it('that of a HEAD is not reused: a body may still arrive', async () => {
    let late: Socket | undefined;
    handler = ({ target, method }, socket) => {
      if (method === 'HEAD') late = socket;
      else if (late?.writable) late.write(rawResponse('200 OK', [], 'of somebody else'));
      socket.write(rawResponse('200 OK', [], target, method));
    };
    assert.equal((await sendRaw(app.port, head('HEAD /api/identity/x'))).status, 200);
    assert.equal((await get()).body.toString(), '/x');
  });

  it('to an https address are TLS: neither key nor body leaves in plain text', async () => {
    const peer = await startFirstBytes();
    const secure = await startProxyApp(
      { 'identity-admin': `https://127.0.0.1:${peer.port}` },
      { authorization: async () => 'Bearer stored' },
    );
    const result = await sendRaw(secure.port, `${head('PUT /api/identity-admin/x', ['Content-Length: 5'])}plain`);
    await secure.close();
    peer.close();
    assert.equal(result.status, 500);
    assert.equal(peer.arrived[0]?.[0], TLS_HANDSHAKE);
    assert.doesNotMatch(Buffer.concat(peer.arrived).toString('latin1'), /stored|plain/);
  });
});
