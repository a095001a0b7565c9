import assert from 'node:assert/strict';
import type { ProxiedWrite } from '../../server/upstream/proxy/record-write.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection, sendRaw } from '../support/raw-client.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

const PERSON = '/api/identity-admin/admin/identities/5f3e0a11-0000-4000-8000-000000000001';
const DEACTIVATE = JSON.stringify([{ op: 'replace', path: '/state', value: 'inactive' }]);
const JSON_TYPE = 'Content-Type: application/json';

describe('what a write changed, as it is recorded', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;

  beforeEach(async () => {
    upstream = await startRawUpstream(async (request, socket) => {
      await request.body;
      socket.write(rawResponse('200 OK', []));
    });
    app = await startProxyApp({ 'identity-admin': upstream.url, 'oauth-admin': upstream.url });
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  const sized = (line: string, body: string, type = JSON_TYPE): string =>
    head(line, [type, `Content-Length: ${body.length}`]) + body;
  /** The details that only a body tells. */
  const told = ({ details: { changed, state } }: ProxiedWrite): unknown => ({
    ...(changed && { changed }),
    ...(state && { state }),
  });
  /** What the record of the next write says. */
  async function recorded(bytes: string): Promise<unknown> {
    const before = app.writes.length;
    assert.equal((await sendRaw(app.port, bytes)).status, 200);
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
    for (const bytes of [sized(line, DEACTIVATE), chunked]) {
      const caller = await RawConnection.open(app.port);
      for (const byte of bytes) {
        caller.write(byte);
        await new Promise(setImmediate);
      }
      assert.equal((await caller.response()).status, 200);
      caller.close();
    }
    assert.deepEqual(app.writes.map(told), [INACTIVE, INACTIVE]);
    for (const { body } of upstream.requests) assert.equal(String(await body), DEACTIVATE);
  });

  it('is told up to 64 KiB of body, of JSON alone', async () => {
    const padded = (bytes: number): string => DEACTIVATE.padEnd(bytes);
    assert.deepEqual(await recorded(sized(`PATCH ${PERSON}`, padded(65_536))), INACTIVE);
    assert.deepEqual(await recorded(sized(`PATCH ${PERSON}`, padded(65_537))), {});
    for (const type of ['application/merge-patch+json', 'application/x-www-form-urlencoded'])
      assert.deepEqual(await recorded(sized(`PATCH ${PERSON}`, DEACTIVATE, `Content-Type: ${type}`)), {}, type);
  });

  const UNREAD = [
    'PUT /api/oauth-admin/admin/oauth2/auth/requests/consent/accept',
    'POST /api/oauth-admin/admin%2Foauth2%2Fintrospect',
    'POST /api/identity-admin/admin/recovery/link',
    'PUT /api/identity-admin/ADMIN/Keys/set',
    'PATCH /api/identity-admin/admin/identities',
  ];
  const READ = ['POST /api/identity-admin/admin/identities', 'POST /api/oauth-admin/admin/keystone'];
  it('is told of what a path changes, and of nothing that carries secrets or people', async () => {
    for (const line of UNREAD) assert.deepEqual(await recorded(sized(line, '{"subject":1,"identities":[]}')), {}, line);
    for (const line of READ)
      assert.deepEqual(await recorded(sized(line, '{"subject":1}')), { changed: ['/subject'] }, line);
  });
});
