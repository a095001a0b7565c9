import assert from 'node:assert/strict';
import type { ProxiedWrite } from '../../server/upstream/proxy/record-write.ts';
import { proxiesOfTest } from '../support/proxy-app.ts';
import { requestHead, sendRaw } from '../support/raw-client.ts';

const PERSON = '/api/identity-admin/admin/identities/5f3e0a11-0000-4000-8000-000000000001';
const DEACTIVATE = JSON.stringify([{ op: 'replace', path: '/state', value: 'inactive' }]);
const INACTIVE = { changed: ['/state'], state: 'inactive' };
const JSON_TYPE = 'Content-Type: application/json';

describe('the audit record of a proxied write', () => {
  const proxies = proxiesOfTest();
  const { upstream, open } = proxies;
  const request = (line: string, body: string, type = JSON_TYPE): string =>
    requestHead(line, [type, `Content-Length: ${body.length}`]) + body;
  const changeIn = ({ details: { changed, state } }: ProxiedWrite): unknown => ({
    ...(changed && { changed }),
    ...(state && { state }),
  });
  /** Sends a request. @returns the change in its record */
  async function recordedChange(bytes: string): Promise<unknown> {
    const { port, writes } = proxies.app;
    const before = writes.length;
    assert.equal((await sendRaw(port, bytes)).status, 200);
    assert.equal(writes.length, before + 1);
    return changeIn(writes[before] ?? assert.fail());
  }

  it('contains the names of the members in the body, but no password or e-mail address', async () => {
    const body = JSON.stringify({
      traits: { email: 'ada@example.com' },
      credentials: { password: { config: { password: 'hunter2' } } },
    });
    assert.deepEqual(await recordedChange(request(`PUT ${PERSON}`, body)), {
      changed: ['/traits/email', '/credentials/password'],
    });
    assert.doesNotMatch(JSON.stringify(proxies.app.writes), /hunter2|ada@example/);
  });

  it('is the same if the request arrives byte by byte, and the upstream receives the complete body', async () => {
    const line = `PATCH ${PERSON}`;
    const chunks = [...DEACTIVATE].map((byte) => `1\r\n${byte}\r\n`).join('');
    const chunked = `${requestHead(line, [JSON_TYPE, 'Transfer-Encoding: chunked'])}${chunks}0\r\n\r\n`;
    for (const bytes of [request(line, DEACTIVATE), chunked]) {
      const caller = await open();
      for (const byte of bytes) {
        caller.write(byte);
        await new Promise(setImmediate);
      }
      assert.equal((await caller.response()).status, 200);
    }
    assert.deepEqual(proxies.app.writes.map(changeIn), [INACTIVE, INACTIVE]);
    for (const { body } of upstream.requests) assert.equal(String(await body), DEACTIVATE);
  });

  it('contains names of members only if the body is JSON of at most 64 KiB', async () => {
    const padded = (bytes: number): string => DEACTIVATE.padEnd(bytes);
    assert.deepEqual(await recordedChange(request(`PATCH ${PERSON}`, padded(65_536))), INACTIVE);
    assert.deepEqual(await recordedChange(request(`PATCH ${PERSON}`, padded(65_537))), {});
    for (const type of ['application/merge-patch+json', 'application/x-www-form-urlencoded'])
      assert.deepEqual(await recordedChange(request(`PATCH ${PERSON}`, DEACTIVATE, `Content-Type: ${type}`)), {}, type);
  });

  it('contains no names of members for paths whose bodies contain secrets or several identities', async () => {
    for (const line of [
      'PUT /api/oauth-admin/admin/oauth2/auth/requests/consent/accept',
      'POST /api/oauth-admin/admin%2Foauth2%2Fintrospect',
      'POST /api/identity-admin/admin/recovery/link',
      'PUT /api/identity-admin/ADMIN/Keys/set',
      'PATCH /api/identity-admin/admin/identities',
    ])
      assert.deepEqual(await recordedChange(request(line, '{"subject":1,"identities":[]}')), {}, line);
    for (const line of ['POST /api/identity-admin/admin/identities', 'POST /api/oauth-admin/admin/keystone'])
      assert.deepEqual(await recordedChange(request(line, '{"subject":1}')), { changed: ['/subject'] }, line);
  });
});
