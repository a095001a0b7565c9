import assert from 'node:assert/strict';
import { UpstreamFailure } from '../../server/upstream/failure.ts';
import { upstreamFetch } from '../../server/upstream/fetch.ts';
import { until } from '../support/eventually.ts';
import {
  echo,
  type RawHandler,
  type RawUpstream,
  rawResponse,
  startFirstBytes,
  startRawUpstream,
  TLS_HANDSHAKE,
} from '../support/raw-upstream.ts';

/** Longer than any of these calls takes. */
const PATIENT_MS = 60_000;

describe('a call from server to server', () => {
  let upstream: RawUpstream | undefined;
  const start = async (handler: RawHandler): Promise<string> => {
    upstream = await startRawUpstream(handler);
    return upstream.url;
  };
  const failsAs = (kind: string) => (error: unknown) => error instanceof UpstreamFailure && error.kind === kind;

  afterEach(async () => {
    await upstream?.close();
    upstream = undefined;
  });

  it('sends method, headers and a sized body, and brings back status, headers and text', async () => {
    const url = await start(echo);
    const result = await upstreamFetch(`${url}/oauth2/token?a=b%20c`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'code=é',
      timeoutMs: PATIENT_MS,
    });
    assert.equal(result.status, 200);
    assert.equal(result.headers['x-upstream'], '1');
    const seen = JSON.parse(result.text);
    assert.equal(seen.method, 'POST');
    assert.equal(seen.url, '/oauth2/token?a=b%20c');
    assert.equal(Buffer.from(seen.body, 'latin1').toString(), 'code=é');
    assert.deepEqual(upstream?.requests[0]?.header('content-length'), ['7']);
    assert.deepEqual(upstream?.requests[0]?.header('accept-encoding'), ['identity']);
  });

  it('fails as unreachable when nothing listens and when the name does not resolve', async () => {
    const url = await start(echo);
    await upstream?.close();
    await assert.rejects(upstreamFetch(url, { timeoutMs: PATIENT_MS }), failsAs('unreachable'));
    await assert.rejects(
      upstreamFetch('http://no-such-host.invalid/', { timeoutMs: PATIENT_MS }),
      failsAs('unreachable'),
    );
  });

  it('fails as timeout when the upstream is silent, before the headers and inside the body, or switches protocols', async () => {
    const url = await start((request, socket) => {
      if (request.target === '/body') socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
      if (request.target === '/other')
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
    });
    await assert.rejects(upstreamFetch(`${url}/other`, { timeoutMs: 50 }), failsAs('timeout'));
    await assert.rejects(upstreamFetch(`${url}/silent`, { timeoutMs: 50 }), failsAs('timeout'));
    await assert.rejects(upstreamFetch(`${url}/body`, { timeoutMs: 50 }), failsAs('timeout'));
    await upstream?.idle();
  });

  it('fails as broken when the answer is cut off, malformed or longer than allowed', async () => {
    const url = await start((request, socket) => {
      if (request.target === '/cut') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
      else if (request.target === '/malformed') socket.end('SMTP ready\r\n');
      else socket.write(rawResponse('200 OK', [], 'x'.repeat(1000)));
    });
    await assert.rejects(upstreamFetch(`${url}/cut`, { timeoutMs: PATIENT_MS }), failsAs('broken'));
    await assert.rejects(upstreamFetch(`${url}/malformed`, { timeoutMs: PATIENT_MS }), failsAs('broken'));
    await assert.rejects(upstreamFetch(`${url}/long`, { timeoutMs: PATIENT_MS, maxBytes: 999 }), failsAs('broken'));
  });

  it('speaks TLS to an https address: no key leaves in plain text', async () => {
    const peer = await startFirstBytes();
    const options = { headers: { authorization: 'Bearer key' }, timeoutMs: PATIENT_MS };
    await assert.rejects(upstreamFetch(`https://127.0.0.1:${peer.port}/`, options), failsAs('broken'));
    peer.close();
    assert.equal(peer.arrived[0]?.[0], TLS_HANDSHAKE);
    assert.equal(Buffer.concat(peer.arrived).includes('Bearer'), false);
  });

  it('answers a GET that met a stale keep-alive connection, and does not repeat a POST', async () => {
    const url = await start((request, socket) => {
      if (request.sequence === 0) socket.write(rawResponse('200 OK', [], 'fresh'));
      else socket.destroy();
    });
    await upstreamFetch(url, { timeoutMs: PATIENT_MS });
    assert.equal((await upstreamFetch(url, { timeoutMs: PATIENT_MS })).text, 'fresh');
    await upstreamFetch(url, { timeoutMs: PATIENT_MS });
    const posts = upstream?.requests.length ?? 0;
    await assert.rejects(upstreamFetch(url, { method: 'POST', body: 'x', timeoutMs: PATIENT_MS }), failsAs('broken'));
    assert.equal(upstream?.requests.length, posts + 1);
  });

  it('closes a connection on which bytes come that nobody waits for, and keeps any other', async () => {
    let late = '';
    const url = await start(({ target }, socket) => {
      socket.write(rawResponse('200 OK', [], target), () => setTimeout(() => socket.write(late), 20));
    });
    for (late of [rawResponse('200 OK', [], 'late'), 'HTTP/1.1 200', 'x']) {
      assert.equal((await upstreamFetch(`${url}/first`, { timeoutMs: PATIENT_MS })).text, '/first');
      await until(() => upstream?.open() === 0);
    }
    late = '';
    for (const path of ['/second', '/third'])
      assert.equal((await upstreamFetch(url + path, { timeoutMs: PATIENT_MS })).text, path);
    assert.equal(upstream?.accepted, 4);
  });
});
