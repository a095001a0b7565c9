import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { bodyCopies } from '../../server/upstream/proxy/body-copies.ts';
import type { ProxiedWrite } from '../../server/upstream/proxy/write-recorder.ts';
import { until } from '../support/becomes.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { answer, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

const PERSON = '/api/identity-admin/admin/identities/5f3e0a11-0000-4000-8000-000000000001';
const DEACTIVATE = JSON.stringify([{ op: 'replace', path: '/state', value: 'inactive' }]);
const JSON_TYPE = 'Content-Type: application/json';

describe('what a write changed, as it is recorded', () => {
  let upstream: RawUpstream;
  let handler: RawHandler;
  let app: ProxyApp;
  let callers: RawConnection[];

  const ok: RawHandler = async (request, socket) => {
    await request.body;
    socket.write(answer('200 OK', []));
  };
  const start = async (limits?: Parameters<typeof bodyCopies>[0]): Promise<void> => {
    const urls = { 'identity-admin': upstream.url, 'oauth-admin': upstream.url, identity: upstream.url };
    app = await startProxyApp(urls, limits && { copyOf: bodyCopies(limits) });
  };
  beforeEach(async () => {
    callers = [];
    handler = ok;
    upstream = await startRawUpstream(
      (request, socket) => void Promise.resolve(handler(request, socket)).catch(() => {}),
    );
    await start();
  });
  afterEach(async () => {
    for (const caller of callers) caller.close();
    await app.close();
    await upstream.close();
  });

  const open = async (): Promise<RawConnection> => {
    const caller = await RawConnection.open(app.port);
    callers.push(caller);
    return caller;
  };
  const sized = (line: string, body: string | Buffer, ...headers: string[]): Buffer =>
    Buffer.concat([
      Buffer.from(head(line, [JSON_TYPE, ...headers, `Content-Length: ${Buffer.byteLength(body)}`]), 'latin1'),
      Buffer.from(body),
    ]);
  /** The details that only a body tells. */
  const told = ({ details: { changed, state } }: ProxiedWrite): unknown => ({
    ...(changed && { changed }),
    ...(state && { state }),
  });
  /** What the record of the next write says. */
  async function recorded(bytes: string | Buffer, status = 200): Promise<unknown> {
    const before = app.writes.length;
    const caller = await open();
    caller.write(bytes);
    assert.equal((await caller.answer()).status, status);
    assert.equal(app.writes.length, before + 1);
    return told(app.writes[before] ?? assert.fail());
  }
  const INACTIVE = { changed: ['/state'], state: 'inactive' };

  it('are names, and never a value', async () => {
    const body = JSON.stringify({
      traits: { email: 'ada@example.com' },
      credentials: { password: { config: { password: 'hunter2' } } },
    });
    assert.deepEqual(await recorded(sized(`PUT ${PERSON}`, body)), {
      changed: ['/traits/email', '/credentials/password'],
    });
    assert.doesNotMatch(JSON.stringify(app.writes), /hunter2|ada@example/);
  });

  it('is the same at whatever byte the request is cut, and the upstream gets every byte', async () => {
    const line = `PATCH ${PERSON}`;
    const chunked = `${head(line, [JSON_TYPE, 'Transfer-Encoding: chunked'])}${[...DEACTIVATE].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`;
    for (const bytes of [sized(line, DEACTIVATE).toString('latin1'), chunked]) {
      const caller = await open();
      for (const byte of bytes) {
        caller.write(byte);
        await new Promise(setImmediate);
      }
      assert.equal((await caller.answer()).status, 200);
    }
    assert.deepEqual(app.writes.map(told), [INACTIVE, INACTIVE]);
    for (const { body } of upstream.requests) assert.equal(String(await body), DEACTIVATE);
  });

  it('is told where the answer comes before the last chunk of a body that is whole', async () => {
    const caller = await open();
    handler = async (request, socket) => {
      await until(() => request.received === DEACTIVATE.length);
      socket.write(answer('200 OK', []));
    };
    const size = DEACTIVATE.length.toString(16);
    caller.write(`${head(`PATCH ${PERSON}`, [JSON_TYPE, 'Transfer-Encoding: chunked'])}${size}\r\n${DEACTIVATE}\r\n`);
    assert.equal((await caller.answer()).status, 200);
    assert.deepEqual(app.writes.map(told), [INACTIVE]);
  });

  it('is not told of a body that broke off, and its memory is free', async () => {
    await app.close();
    await start({ each: 4096, inAll: 4096 });
    handler = () => {};
    for (let round = 1; round <= 5; round += 1) {
      const caller = await open();
      caller.write(`${head(`PUT ${PERSON}`, [JSON_TYPE, 'Content-Length: 4000'])}{"a":"${'x'.repeat(3000)}`);
      await until(() => (upstream.requests.at(-1)?.received ?? 0) > 3000);
      caller.close();
      await until(() => app.writes.length === round);
    }
    assert.deepEqual(app.writes.map(told), [{}, {}, {}, {}, {}]);
    handler = ok;
    assert.deepEqual(await recorded(sized(`PATCH ${PERSON}`, `${DEACTIVATE}${' '.repeat(3500)}`)), INACTIVE);
  });

  it('is told up to 64 KiB of body, and not beyond', async () => {
    const padded = (bytes: number): string => DEACTIVATE.padEnd(bytes);
    assert.deepEqual(await recorded(sized(`PATCH ${PERSON}`, padded(65_536))), INACTIVE);
    assert.deepEqual(await recorded(sized(`PATCH ${PERSON}`, padded(65_537))), {});
    const chunk = `${head(`PATCH ${PERSON}`, [JSON_TYPE, 'Transfer-Encoding: chunked'])}10001\r\n${padded(65_537)}\r\n0\r\n\r\n`;
    assert.deepEqual(await recorded(chunk), {});
    const large = `[${'0,'.repeat(500_000)}0]`;
    assert.deepEqual(await recorded(sized(`PATCH ${PERSON}`, large)), {});
    assert.equal((await upstream.requests.at(-1)?.body)?.length, large.length);
  });

  it('is told of JSON and of JSON patches', async () => {
    for (const [type, expected] of [
      ['Application/JSON; charset=utf-8', INACTIVE],
      ['application/json-patch+json', INACTIVE],
      ['application/merge-patch+json', {}],
      ['application/jsonx', {}],
      ['application/x-www-form-urlencoded', {}],
    ] as const) {
      const request = head(`PATCH ${PERSON}`, [`Content-Type: ${type}`, `Content-Length: ${DEACTIVATE.length}`]);
      assert.deepEqual(await recorded(request + DEACTIVATE), expected, type);
    }
  });

  it('is not told without a type, nor of a coded body', async () => {
    assert.deepEqual(
      await recorded(head(`PATCH ${PERSON}`, [`Content-Length: ${DEACTIVATE.length}`]) + DEACTIVATE),
      {},
    );
    assert.deepEqual(await recorded(sized(`PATCH ${PERSON}`, gzipSync(DEACTIVATE), 'Content-Encoding: gzip')), {});
    assert.deepEqual(await recorded(sized(`PATCH ${PERSON}`, DEACTIVATE, 'Content-Encoding: gzip')), {});
  });

  const UNREAD = [
    'PUT /api/oauth-admin/admin/oauth2/auth/requests/consent/accept',
    'PUT /api/oauth-admin/oauth2/auth/requests/login/accept',
    'POST /api/oauth-admin/admin/oauth2/introspect',
    'POST /api/oauth-admin/admin%2Foauth2%2Fintrospect',
    'POST /api/identity-admin/admin/recovery/link',
    'POST /api/identity-admin/recovery/code',
    'PUT /api/identity-admin/admin/keys/set',
    'PUT /api/identity-admin/ADMIN/Keys/set',
    'PATCH /api/identity-admin/admin/identities',
    'PATCH /api/identity-admin/identities?x',
    'POST /api/identity-admin/admin/%ff',
  ];
  const READ = [
    'POST /api/identity-admin/admin/identities',
    'PUT /api/oauth-admin/clients/keys',
    'PUT /api/oauth-admin/admin/clients/a%2Fb',
    'POST /api/oauth-admin/admin/keystone',
  ];
  it('is told of what a path changes, and of nothing that carries secrets or people', async () => {
    for (const line of UNREAD) assert.deepEqual(await recorded(sized(line, '{"subject":1,"identities":[]}')), {}, line);
    for (const line of READ)
      assert.deepEqual(await recorded(sized(line, '{"subject":1}')), { changed: ['/subject'] }, line);
  });
});
