import assert from 'node:assert/strict';
import { createCredentials, type StoredSecret } from '../../server/upstream/credentials.ts';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { startDashboard } from '../support/dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { proxiesOfTest } from '../support/proxy-app.ts';
import { type RawResponse, requestHead, sendRaw } from '../support/raw-client.ts';
import { echoRequest, startRawUpstream } from '../support/raw-upstream.ts';

describe('a proxied request', () => {
  let secrets: Record<string, StoredSecret | Error | undefined>;
  async function get(key: string) {
    const secret = secrets[key];
    if (secret instanceof Error) throw secret;
    return secret;
  }
  const proxies = proxiesOfTest({ authorization: createCredentials({ get }) });
  const { upstream, send } = proxies;
  beforeEach(() => {
    secrets = {};
  });

  it('has the stored key of its own prefix in place of the caller’s Authorization', async () => {
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

  for (const [problem, secret] of Object.entries({
    'cannot be decrypted': new Error('cannot be decrypted'),
    'is not encrypted': { value: 'plain-secret', encrypted: false },
    'is empty': { value: '', encrypted: true },
    'contains a space': { value: 'secret words', encrypted: true },
    'contains a line feed': { value: 'secret\nbreak', encrypted: true },
    'contains a letter outside ASCII': { value: 'secret-caf\u00e9', encrypted: true },
  }))
    it(`fails with 500 proxy_error and never reaches the upstream if the stored key ${problem}`, async () => {
      secrets['upstream.identity-admin.api_key'] = secret;
      const response = await send('POST /api/identity-admin/x', ['Content-Length: 2'], 'hi');
      assert.equal(response.status, 500);
      assert.equal(JSON.parse(response.body.toString()).error, 'proxy_error');
      assert.doesNotMatch(response.body.toString() + JSON.stringify(proxies.app.logged), /secret/);
      assert.equal(upstream.requests.length, 0);
    });

  it('is refused with 403 and never reaches the OAuth 2.0 server if its path leads to private keys', async () => {
    for (const path of ['/admin/keys', '/admin%2f%6beys/x', '/x/../keys'])
      assert.equal((await send(`GET /api/oauth-admin${path}`)).status, 403, path);
    assert.equal(upstream.requests.length, 0);
  });
});

describe('the proxies behind the gate', () => {
  const upstream = ofSuite(() => startRawUpstream(echoRequest));
  const dashboard = ofSuite(() =>
    startDashboard({
      storeFromSandbox: true,
      env: Object.fromEntries(
        UPSTREAM_NAMES.map((name) => [`${name.toUpperCase().replaceAll('-', '_')}_URL`, upstream.url]),
      ),
    }),
  );
  beforeEach(() => {
    upstream.requests.length = 0;
  });

  const send = (line: string, headers: string[] = []): Promise<RawResponse> =>
    sendRaw(dashboard.port, requestHead(line, headers));

  it('forward the caller’s address as the trusted hops report it', async () => {
    for (const [env, address] of [
      [{ TRUST_PROXY: '1' }, '203.0.113.9'],
      [{}, '127.0.0.1'],
    ] as const) {
      await dashboard.restart(env);
      await send('GET /api/identity/x', ['X-Forwarded-For: 6.6.6.6, 203.0.113.9', 'X-Real-IP: 6.6.6.6']);
      assert.deepEqual(upstream.requests.at(-1)?.header('x-forwarded-for'), [address]);
      assert.deepEqual(upstream.requests.at(-1)?.header('x-real-ip'), [address]);
    }
  });

  it('forward a request from another site’s page to a public upstream, unless a key is stored for that upstream', async () => {
    const foreign = [['Sec-Fetch-Site: cross-site'], ['Origin: https://evil.example'], ['Origin: null']];
    for (const headers of foreign) assert.equal((await send('POST /api/oauth/x', headers)).status, 200);
    const session = await dashboard.signIn('admin');
    const json = { key: 'upstream.oauth.api_key', value: 'the-key', encrypted: true };
    assert.equal((await dashboard.call('/api/settings', { session, json })).status, 201);
    upstream.requests.length = 0;
    for (const headers of foreign)
      for (const method of ['GET', 'POST'])
        assert.equal((await send(`${method} /api/oauth/x`, headers)).status, 403, `${method} ${headers}`);
    assert.equal(upstream.requests.length, 0);
    assert.equal((await send('GET /api/oauth/x')).status, 200);
    await dashboard.call('/api/settings/upstream.oauth.api_key', { session, method: 'DELETE' });
    assert.equal((await send('POST /api/oauth/x', foreign[0])).status, 200);
  });

  it('refuse a WebSocket and a TRACE, and forward a request with any other Upgrade, but not that header', async () => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: WebSocket', 'Sec-WebSocket-Version: 13'];
    assert.equal((await send('GET /api/oauth-admin/x', upgrade)).status, 400);
    assert.equal((await send('TRACE /api/identity/x')).status, 405);
    assert.equal(upstream.requests.length, 0);
    const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: x'];
    assert.equal((await send('GET /api/identity/x', h2c)).status, 200);
    assert.deepEqual(
      ['upgrade', 'http2-settings'].flatMap((name) => upstream.requests[0]?.header(name) ?? []),
      [],
    );
  });
});
