import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { createLog } from '../../server/log.ts';
import { adminClient } from '../../server/upstream/admin-client.ts';
import { type FailureKind, UpstreamFailure } from '../../server/upstream/failure.ts';
import { upstreamFetch } from '../../server/upstream/fetch.ts';
import { identityStore } from '../../server/upstream/identity-store.ts';
import { until } from '../support/eventually.ts';
import {
  echoRequest,
  type RawHandler,
  type RawUpstream,
  rawResponse,
  startRawUpstream,
} from '../support/raw-upstream.ts';

/** Longer than any of these calls takes. */
const timeoutMs = 60_000;
let upstream: RawUpstream;
let handler: RawHandler;
let url: string;

function startedForEach(): void {
  beforeEach(async () => {
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    ({ url } = upstream);
  });
  afterEach(() => upstream.close());
}
const failsAs = (kind: FailureKind) => (error: unknown) => {
  assert.ok(error instanceof UpstreamFailure);
  assert.equal(error.kind, kind);
  return true;
};

describe('a call from the server to an upstream', () => {
  startedForEach();

  it('sends method, headers and a sized body, and returns status, headers and text', async () => {
    handler = echoRequest;
    const result = await upstreamFetch(`${url}/oauth2/token?a=b%20c`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'code=é',
      timeoutMs,
    });
    assert.equal(result.status, 200);
    assert.equal(result.headers['x-upstream'], '1');
    const echoed = JSON.parse(result.text);
    assert.equal(echoed.method, 'POST');
    assert.equal(echoed.url, '/oauth2/token?a=b%20c');
    assert.equal(Buffer.from(echoed.body, 'latin1').toString(), 'code=é');
    assert.deepEqual(upstream.requests[0]?.header('content-length'), ['7']);
    assert.deepEqual(upstream.requests[0]?.header('accept-encoding'), ['identity']);
  });

  it('fails as unreachable if the connection is refused or the name does not resolve', async () => {
    await upstream.close();
    for (const address of [url, 'http://no-such-host.invalid/'])
      await assert.rejects(upstreamFetch(address, { timeoutMs }), failsAs('unreachable'));
  });

  for (const [what, bytes] of [
    ['is silent', ''],
    ['is silent within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'],
  ] as const)
    it(`fails as timeout if the upstream ${what}, and closes the connection, also if it is aborted`, async () => {
      handler = (_request, socket) => void socket.write(bytes);
      await assert.rejects(upstreamFetch(url, { timeoutMs: 50 }), failsAs('timeout'));
      const signal = AbortSignal.timeout(50);
      await assert.rejects(upstreamFetch(url, { timeoutMs, signal }), failsAs('broken'));
      await upstream.untilIdle();
    });

  for (const [what, fail] of Object.entries<RawHandler>({
    'breaks off': (_request, socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
    'is malformed': (_request, socket) => socket.end('SMTP ready\r\n'),
    'is longer than allowed': (_request, socket) => socket.write(rawResponse('200 OK', [], 'x'.repeat(1000))),
  }))
    it(`fails as broken if the response ${what}`, async () => {
      handler = fail;
      await assert.rejects(upstreamFetch(url, { timeoutMs, maxBytes: 999 }), failsAs('broken'));
    });

  it('is repeated as a GET, but not as a POST, if the upstream closes a reused connection', async () => {
    handler = (request, socket) => {
      if (request.sequence === 0) socket.write(rawResponse('200 OK', [], 'fresh'));
      else socket.destroy();
    };
    await upstreamFetch(url, { timeoutMs });
    assert.equal((await upstreamFetch(url, { timeoutMs })).text, 'fresh');
    await upstreamFetch(url, { timeoutMs });
    const before = upstream.requests.length;
    await assert.rejects(upstreamFetch(url, { method: 'POST', body: 'x', timeoutMs }), failsAs('broken'));
    assert.equal(upstream.requests.length, before + 1);
  });

  it('closes a connection on which unsolicited bytes arrive, and reuses any other', async () => {
    let late = '';
    handler = ({ target }, socket) => {
      socket.write(rawResponse('200 OK', [], target), () => setTimeout(() => socket.write(late), 20));
    };
    for (late of [rawResponse('200 OK', [], 'late'), 'HTTP/1.1 200', 'x']) {
      assert.equal((await upstreamFetch(`${url}/first`, { timeoutMs })).text, '/first');
      await until(() => upstream.openConnections() === 0);
    }
    late = '';
    for (const path of ['/second', '/third']) assert.equal((await upstreamFetch(url + path, { timeoutMs })).text, path);
    assert.equal(upstream.accepted, 4);
  });
});

const responds =
  (status: number, body: unknown): RawHandler =>
  (_request, socket) =>
    void socket.write(rawResponse(`${status} X`, [], typeof body === 'string' ? body : JSON.stringify(body)));
const options = () => ({ url, timeoutMs, authorization: async () => 'Bearer key' });

describe('the client of an admin API', () => {
  startedForEach();
  const client = () => adminClient(options());

  for (const [status, kind] of [
    [201, 'refused'],
    [307, 'refused'],
    [400, 'refused'],
    [401, 'refuses_key'],
    [403, 'refuses_key'],
    [429, 'too_many_requests'],
    [503, 'failing'],
  ] as const)
    it(`rejects status ${status} as ${kind}, with the response in its error`, async () => {
      handler = responds(status, 'person@example.com');
      await assert.rejects(client().get('/admin/x'), (error) => {
        assert.deepEqual((error as UpstreamFailure).response, { status, text: 'person@example.com' });
        return failsAs(kind)(error);
      });
    });

  it('logs kind and status of its failure, and nothing of the response', async () => {
    handler = responds(401, 'person@example.com');
    const lines: string[] = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    const error = await client()
      .get('/admin/x')
      .catch((failure) => failure);
    log.error({ error }, 'failed');
    log.error(error);
    assert.match(lines[0] ?? '', /"code":"refuses_key 401"/);
    assert.doesNotMatch(lines.join() + inspect(error), /person@/);
  });

  it('rejects invalid JSON as nonsense, and also anything but a list where it expects a list', async () => {
    handler = responds(200, '<html>');
    await assert.rejects(client().get('/admin/x'), failsAs('nonsense'));
    handler = responds(200, { items: [] });
    await assert.rejects(client().list('/admin/x'), failsAs('nonsense'));
  });

  it('fails a call that exceeds its limit of bytes or time', async () => {
    handler = responds(200, JSON.stringify('x'.repeat(2000)));
    await assert.rejects(client().get('/admin/x', {}, { maxBytes: 1000 }), failsAs('broken'));
    handler = () => {};
    await assert.rejects(client().get('/admin/x', {}, { timeoutMs: 50 }), failsAs('timeout'));
  });
});

describe('the client of an identity store', () => {
  startedForEach();
  const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';
  const store = () => identityStore(options());
  const storeWithSchemas = () => identityStore(options(), options());

  it('reports an identity as missing only if the store itself responds 404', async () => {
    handler = responds(404, { error: { code: 404 } });
    assert.equal(await store().identity(ID), undefined);
    for (const elsewhere of ['404 page not found', { error: { message: 'no such service' } }, { code: 404 }, null]) {
      handler = responds(404, elsewhere);
      await assert.rejects(store().identity(ID), failsAs('refused'));
    }
    handler = responds(200, { id: 'another' });
    await assert.rejects(store().identity(ID), failsAs('nonsense'));
    handler = responds(200, { id: ID, state: 'inactive' });
    assert.equal((await store().identity(ID))?.active, false);
  });

  it('reads the marks of its schemas once, and has none while they cannot be read', async () => {
    const traits = { properties: { agent: { 'ory.sh/kratos': { credentials: { code: { via: 'email' } } } } } };
    handler = responds(200, [{ id: 'agents', schema: { properties: { traits } } }]);
    const { marks } = storeWithSchemas();
    const expected = { agents: { identifiers: [['agent']], names: [] } };
    assert.deepEqual(await Promise.all([marks(), marks()]), [expected, expected]);
    assert.deepEqual([await marks(), upstream.requests.length], [expected, 1]);
    handler = responds(500, {});
    assert.deepEqual(await storeWithSchemas().marks(), {});
    assert.deepEqual(await store().marks(), {});
  });
});
