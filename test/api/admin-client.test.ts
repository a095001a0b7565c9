import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { createLog } from '../../server/log/log.ts';
import { adminClient } from '../../server/upstream/admin-client.ts';
import { identityStore } from '../../server/upstream/identity-store.ts';
import { type FailureKind, UpstreamFailure } from '../../server/upstream/upstream-failure.ts';

const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

describe('a client of an admin API', () => {
  let server: Server;
  let url: string;
  let answer: (req: IncomingMessage, res: ServerResponse) => void;
  let seen: string[];

  before(async () => {
    server = createServer((req, res) => {
      seen.push(`${req.url} ${req.headers.authorization ?? ''}`.trim());
      answer(req, res);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    seen = [];
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const says =
    (status: number, body: unknown, headers: Record<string, string> = {}) =>
    (_req: IncomingMessage, res: ServerResponse): void =>
      void res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  const options = { timeoutMs: 60_000, authorization: async () => 'Bearer key' as string | undefined };
  const client = () => adminClient({ url, ...options });
  const store = () => identityStore({ url, ...options });
  const failsAs = (kind: FailureKind) => (error: unknown) => {
    assert.ok(error instanceof UpstreamFailure);
    assert.equal(error.kind, kind);
    return true;
  };

  it('sends its key and a query that repeats lists and omits undefined parameters', async () => {
    answer = says(200, { a: 1 }, { 'X-Total-Count': '12' });
    const query = { expand: ['devices', 'identity'], page_size: 500, status: undefined, q: 'a&b' };
    assert.deepEqual(await client().get('/admin/sessions', query), {
      body: { a: 1 },
      bytes: 7,
      nextPageToken: undefined,
      totalCount: 12,
    });
    await adminClient({ url, ...options, authorization: async () => undefined }).get('/admin/x');
    assert.deepEqual(seen, [
      '/admin/sessions?expand=devices&expand=identity&page_size=500&q=a%26b Bearer key',
      '/admin/x',
    ]);
  });

  it('fails by the status, and can pass the response on to the caller', async () => {
    for (const [status, kind] of [
      [201, 'refused'],
      [307, 'refused'],
      [400, 'refused'],
      [401, 'refuses_key'],
      [403, 'refuses_key'],
      [429, 'too_many_requests'],
      [503, 'failing'],
    ] as const) {
      answer = says(status, 'person@example.com');
      await assert.rejects(client().get('/admin/x'), (error) => {
        assert.deepEqual((error as UpstreamFailure).answer, { status, text: 'person@example.com' });
        return failsAs(kind)(error);
      });
    }
  });

  it('puts kind and status of a failure into the log, and nothing of the answer', async () => {
    answer = says(401, 'person@example.com');
    const lines: string[] = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    await client()
      .get('/admin/x')
      .catch((error) => {
        log.error({ error }, 'failed');
        log.error(error);
        lines.push(inspect(error));
      });
    assert.match(lines[0] ?? '', /"code":"refuses_key 401"/);
    assert.doesNotMatch(lines.join(), /person@/);
  });

  it('has neither a next page nor a count where the response has none that is valid', async () => {
    for (const headers of [
      {},
      { 'X-Total-Count': 'many' },
      { Link: '</x?page_token=>; rel="next"' },
      { Link: '</x?page=2>; rel="next"' },
      { Link: '<http://[broken?page_token=2>; rel="next"' },
    ] as Record<string, string>[]) {
      answer = says(200, {}, headers);
      const { nextPageToken, totalCount } = await client().get('/admin/x');
      assert.deepEqual([nextPageToken, totalCount], [undefined, undefined]);
    }
  });

  it('fails as nonsense on invalid JSON, and on anything but a list where one is expected', async () => {
    answer = says(200, '<html>');
    await assert.rejects(client().get('/admin/x'), failsAs('nonsense'));
    answer = says(200, { items: [] });
    await assert.rejects(client().list('/admin/x'), failsAs('nonsense'));
  });

  it('fails without sending a request when it has no address or its key cannot be read', async () => {
    await assert.rejects(adminClient({ ...options, url: undefined }).get('/admin/x'), failsAs('not_configured'));
    const authorization = () => Promise.reject(new Error('no key opens it'));
    await assert.rejects(adminClient({ ...options, url, authorization }).get('/admin/x'), failsAs('key_unreadable'));
    assert.deepEqual(seen, []);
  });

  it('fails as broken beyond its limit of bytes and as timeout beyond its time', async () => {
    answer = says(200, JSON.stringify('x'.repeat(2000)));
    await assert.rejects(client().get('/admin/x', {}, { maxBytes: 1000 }), failsAs('broken'));
    answer = () => {};
    await assert.rejects(client().get('/admin/x', {}, { timeoutMs: 50 }), failsAs('timeout'));
  });

  it('reads a page with the cursor of the next, and ignores one that leads to itself', async () => {
    const link = { Link: '</x?page_token=0>; rel="first",</x?page_token=2>; rel="next"' };
    answer = says(200, [1], link);
    const { items, nextPageToken, bytes } = await client().list('/x', { page_size: 1 });
    assert.deepEqual({ items, nextPageToken, bytes }, { items: [1], nextPageToken: '2', bytes: 3 });
    assert.equal((await client().list('/x', { page_token: '2' })).nextPageToken, undefined);
    assert.deepEqual(
      seen.map((line) => line.split(' ')[0]),
      ['/x?page_size=1', '/x?page_token=2'],
    );
  });

  describe('of an identity store', () => {
    it('reports an identity as missing only when the store itself says so', async () => {
      answer = says(404, { error: { code: 404 } });
      assert.equal(await store().identity(ID), undefined);
      for (const elsewhere of ['404 page not found', { error: { message: 'no such service' } }, { code: 404 }, null]) {
        answer = says(404, elsewhere);
        await assert.rejects(store().identity(ID), failsAs('refused'));
      }
      for (const status of [403, 500]) {
        answer = says(status, { error: { code: 404 } });
        await assert.rejects(store().identity(ID), UpstreamFailure);
      }
      answer = says(200, { id: 'another' });
      await assert.rejects(store().identity(ID), failsAs('nonsense'));
      answer = says(200, { id: ID, state: 'inactive' });
      assert.equal((await store().identity(ID))?.active, false);
    });

    it('is not queried for an id that is not a UUID', async () => {
      for (const id of ['', '../sessions', `${ID}/sessions`, `${ID}?x`])
        assert.equal(await store().identity(id), undefined);
      assert.deepEqual(seen, []);
    });
  });
});
