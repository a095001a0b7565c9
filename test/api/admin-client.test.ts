import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { createLog } from '../../server/log.ts';
import { adminClient } from '../../server/upstream/admin-client.ts';
import { type FailureKind, UpstreamFailure } from '../../server/upstream/failure.ts';
import { identityStore } from '../../server/upstream/identity-store.ts';

const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

describe('a client of an admin API', () => {
  let server: Server;
  let url: string;
  let response: (res: ServerResponse) => void;

  before(async () => {
    server = createServer((_req, res) => response(res)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const says =
    (status: number, body: unknown) =>
    (res: ServerResponse): void =>
      void res.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  const options = { timeoutMs: 60_000, authorization: async () => 'Bearer key' };
  const client = () => adminClient({ url, ...options });
  const store = () => identityStore({ url, ...options });
  const failsAs = (kind: FailureKind) => (error: unknown) => {
    assert.ok(error instanceof UpstreamFailure);
    assert.equal(error.kind, kind);
    return true;
  };

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
      response = says(status, 'person@example.com');
      await assert.rejects(client().get('/admin/x'), (error) => {
        assert.deepEqual((error as UpstreamFailure).response, { status, text: 'person@example.com' });
        return failsAs(kind)(error);
      });
    }
  });

  it('puts kind and status of a failure into the log, and nothing of the answer', async () => {
    response = says(401, 'person@example.com');
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

  it('fails as nonsense on invalid JSON, and on anything but a list where one is expected', async () => {
    response = says(200, '<html>');
    await assert.rejects(client().get('/admin/x'), failsAs('nonsense'));
    response = says(200, { items: [] });
    await assert.rejects(client().list('/admin/x'), failsAs('nonsense'));
  });

  it('fails as broken beyond its limit of bytes and as timeout beyond its time', async () => {
    response = says(200, JSON.stringify('x'.repeat(2000)));
    await assert.rejects(client().get('/admin/x', {}, { maxBytes: 1000 }), failsAs('broken'));
    response = () => {};
    await assert.rejects(client().get('/admin/x', {}, { timeoutMs: 50 }), failsAs('timeout'));
  });

  it('of an identity store reports an identity as missing only when the store itself says so', async () => {
    response = says(404, { error: { code: 404 } });
    assert.equal(await store().identity(ID), undefined);
    for (const elsewhere of ['404 page not found', { error: { message: 'no such service' } }, { code: 404 }, null]) {
      response = says(404, elsewhere);
      await assert.rejects(store().identity(ID), failsAs('refused'));
    }
    response = says(200, { id: 'another' });
    await assert.rejects(store().identity(ID), failsAs('nonsense'));
    response = says(200, { id: ID, state: 'inactive' });
    assert.equal((await store().identity(ID))?.active, false);
  });

  it('of an identity store says what its schemas mark, asked once, and nothing while they cannot be read', async () => {
    let asked = 0;
    const traits = { properties: { agent: { 'ory.sh/kratos': { credentials: { code: { via: 'email' } } } } } };
    response = (res) => {
      asked += 1;
      says(200, [{ id: 'agents', schema: { properties: { traits } } }])(res);
    };
    const { marks } = identityStore({ url, ...options }, { url, ...options });
    const known = { agents: { identifiers: [['agent']], names: [] } };
    assert.deepEqual(await Promise.all([marks(), marks()]), [known, known]);
    assert.deepEqual([await marks(), asked], [known, 1]);
    response = says(500, {});
    assert.deepEqual(await identityStore({ url, ...options }, { url, ...options }).marks(), {});
    assert.deepEqual(await store().marks(), {});
  });
});
