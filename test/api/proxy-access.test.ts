import assert from 'node:assert/strict';
import { createCredentials, type StoredSecret } from '../../server/upstream/credentials.ts';
import { until } from '../support/eventually.ts';
import { idOf } from '../support/index-rig.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, sendRaw } from '../support/raw-client.ts';
import { echo, type RawHandler, type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

describe('keys, refusals and records of the proxies', () => {
  let upstream: RawUpstream;
  let app: ProxyApp;
  let handler: RawHandler;
  let operator: string | undefined;
  let secrets: Record<string, StoredSecret | Error | undefined>;

  beforeEach(async () => {
    handler = echo;
    operator = undefined;
    secrets = {};
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    const urls = Object.fromEntries(
      ['identity', 'identity-admin', 'oauth-admin', 'iam-identity-admin'].map((name) => [name, upstream.url]),
    );
    app = await startProxyApp(urls, {
      authorization: createCredentials({
        async get(key) {
          const secret = secrets[key];
          if (secret instanceof Error) throw secret;
          return secret;
        },
      }),
      operator: () => operator,
    });
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  const send = (line: string, headers: string[] = [], body = '') => sendRaw(app.port, head(line, headers) + body);
  const recorded = async (count: number) => {
    await until(() => app.writes.length >= count);
    return app.writes;
  };

  describe('the stored key', () => {
    it('is set on its own prefix only, admin or public, over whatever the caller sent', async () => {
      secrets['upstream.identity-admin.api_key'] = { value: 'admin-key', encrypted: true };
      const sent = async (prefix: string): Promise<string[]> => {
        await send(`GET /api/${prefix}/x`, ['Authorization: Bearer caller', 'authorization: Basic x']);
        return upstream.requests.at(-1)?.header('authorization') ?? [];
      };
      assert.deepEqual(await sent('identity-admin'), ['Bearer admin-key']);
      assert.deepEqual(await sent('iam-identity-admin'), []);
      assert.deepEqual(await sent('identity'), ['Bearer caller', 'Basic x']);
      secrets['upstream.identity.api_key'] = { value: 'public-key', encrypted: true };
      assert.deepEqual(await sent('identity'), ['Bearer public-key']);
    });

    it('that cannot be decrypted or is in plain text is 500 proxy_error, without a request to the upstream', async () => {
      for (const secret of [new Error('cannot be decrypted'), { value: 'plain-secret', encrypted: false }]) {
        secrets['upstream.identity-admin.api_key'] = secret;
        const result = await send('POST /api/identity-admin/x', ['Content-Length: 2'], 'hi');
        assert.equal(result.status, 500);
        assert.equal(JSON.parse(result.body.toString()).error, 'proxy_error');
        assert.doesNotMatch(result.body.toString() + JSON.stringify(app.logged), /plain-secret/);
      }
      assert.equal(upstream.requests.length, 0);
    });
  });

  it('private keys of the OAuth 2.0 server are refused with 403, without a request to the upstream', async () => {
    for (const path of ['/admin/keys', '/admin%2f%6beys/x', '/x/../keys'])
      assert.equal((await send(`GET /api/oauth-admin${path}`)).status, 403, path);
    assert.equal(upstream.requests.length, 0);
  });

  describe('the record of a mutation', () => {
    it('is written for each unsafe method through an admin prefix: who, what, from where, and how it ended', async () => {
      const methods = ['POST', 'PUT', 'PATCH', 'DELETE'];
      operator = 'op-1';
      for (const method of ['GET', 'HEAD', 'OPTIONS']) await send(`${method} /api/identity-admin/x`);
      await send('POST /api/identity/x');
      for (const method of methods)
        await send(`${method} /api/identity-admin/admin/identities/1?secret=2`, ['Content-Length: 6'], 'secret');
      assert.deepEqual(
        await recorded(4),
        methods.map((method) => ({
          action: 'proxy_write',
          actor: 'op-1',
          target: '/api/identity-admin/admin/identities/1',
          details: { method, status: 200, peer: '127.0.0.1' },
        })),
      );
    });

    it('names the person and client whose consents or sign-ins were ended, but no subject that may be an address', async () => {
      const [id, grants] = [idOf(1), 'oauth2/auth/sessions'];
      for (const [line, person, client] of [
        [`DELETE /api/oauth-admin/admin/${grants}/consent?subject=${id.toUpperCase()}&client=a%20b`, id, 'a b'],
        [`DELETE /api/oauth-admin/admin/${grants}/consent?consent_request_id=1&identity=${id}`, id, undefined],
        [`DELETE /api/oauth-admin/${grants}/login?subject=${id}`, id, undefined],
        [`DELETE /api/oauth-admin/admin/${grants}/consent?subject=a@example.com&all=true`, undefined, undefined],
        [
          `DELETE /api/oauth-admin/admin/${grants}/consent?identity=${id}&x=?&subject=a@example.com`,
          undefined,
          undefined,
        ],
        [`DELETE /api/oauth-admin/admin/clients/x?subject=${id}`, undefined, undefined],
      ] as const) {
        app.writes.length = 0;
        await send(line);
        const [{ target, details } = assert.fail()] = await recorded(1);
        const location = person && `/api/identity-admin/admin/identities/${person}`;
        assert.deepEqual([details.location, details.client], [location, client], line);
        assert.ok(!target.includes('?'));
      }
    });

    it('is written without an operator, for a refusal, and for a failure', async () => {
      handler = (_request, socket) =>
        socket.write(rawResponse('409 Conflict', ['Content-Type: application/json'], '{}'));
      await send('POST /api/identity-admin/x');
      await upstream.close();
      await send('POST /api/identity-admin/y');
      assert.deepEqual(
        (await recorded(2)).map(({ actor, details }) => [actor, details.status]),
        [
          ['anonymous', 409],
          ['anonymous', 502],
        ],
      );
    });
  });

  it('identities may have changed after a write of theirs that was successful', async () => {
    const calls: [line: string, status: string, expected: boolean][] = [
      ['DELETE /api/identity-admin/admin/identities/1', '204 No Content', true],
      ['PATCH /api/iam-identity-admin/identities/1', '200 OK', true],
      ['DELETE /api/identity-admin/admin/identities/1', '404 Not Found', false],
      ['GET /api/identity-admin/admin/identities/1', '200 OK', false],
      ['DELETE /api/oauth-admin/admin/identities/1', '204 No Content', false],
    ];
    for (const [line, status, expected] of calls) {
      const before = app.identityChanges;
      handler = (_request, socket) => socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
      await send(line);
      assert.equal(app.identityChanges - before, expected ? 1 : 0, `${line} ${status}`);
    }
  });
});
