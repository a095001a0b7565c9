import assert from 'node:assert/strict';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { until } from '../support/eventually.ts';
import { head, type RawResponse, sendRaw } from '../support/raw-client.ts';
import { echo, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

describe('the proxies behind the gate', () => {
  let upstream: RawUpstream;
  let dashboard: Dashboard;
  let admin: string;
  let viewer: string;

  before(async () => {
    upstream = await startRawUpstream(echo);
    dashboard = await startDashboard({
      storeFromSandbox: true,
      env: Object.fromEntries(
        UPSTREAM_NAMES.map((name) => [`${name.toUpperCase().replaceAll('-', '_')}_URL`, upstream.url]),
      ),
    });
    admin = await dashboard.signIn('admin');
    viewer = await dashboard.signIn('viewer');
  });
  after(async () => {
    await dashboard?.close();
    await upstream?.close();
  });
  beforeEach(() => {
    upstream.requests.length = 0;
  });

  const cookie = (session: string): string => `Cookie: dashboard-session=${session}`;
  const send = (line: string, headers: string[] = [], body = ''): Promise<RawResponse> =>
    sendRaw(dashboard.port, head(line, headers) + body);
  const reached = (): boolean => upstream.requests.length > 0;

  it('the upstream is told the address of the caller that trusted hops vouch for', async () => {
    for (const [env, expected] of [
      [{ TRUST_PROXY: '1' }, '203.0.113.9'],
      [{}, '127.0.0.1'],
    ] as const) {
      await dashboard.restart(env);
      await send('GET /api/identity/x', ['X-Forwarded-For: 6.6.6.6, 203.0.113.9', 'X-Real-IP: 6.6.6.6']);
      assert.deepEqual(upstream.requests.at(-1)?.header('x-forwarded-for'), [expected]);
      assert.deepEqual(upstream.requests.at(-1)?.header('x-real-ip'), [expected]);
    }
  });

  it('a request that a browser marks as foreign passes a public prefix, unless a key is stored for it', async () => {
    const foreign = [['Sec-Fetch-Site: cross-site'], ['Origin: https://evil.example'], ['Origin: null']];
    for (const headers of foreign) assert.equal((await send('POST /api/oauth/x', headers)).status, 200);
    const json = { key: 'upstream.oauth.api_key', value: 'the-key', encrypted: true };
    assert.equal((await dashboard.call('/api/settings', { session: admin, json })).status, 201);
    upstream.requests.length = 0;
    for (const headers of foreign)
      for (const method of ['GET', 'POST'])
        assert.equal((await send(`${method} /api/oauth/x`, headers)).status, 403, `${method} ${headers}`);
    assert.equal(reached(), false);
    assert.equal((await send('GET /api/oauth/x')).status, 200);
    await dashboard.call('/api/settings/upstream.oauth.api_key', { session: admin, method: 'DELETE' });
    assert.equal((await send('POST /api/oauth/x', foreign[0])).status, 200);
  });

  it('no proxy carries a WebSocket or a TRACE; other upgrades are ignored', async () => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: WebSocket', 'Sec-WebSocket-Version: 13'];
    assert.equal((await send('GET /api/oauth-admin/x', upgrade)).status, 400);
    assert.equal((await send('TRACE /api/identity/x')).status, 405);
    assert.equal(reached(), false);
    const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: x'];
    assert.equal((await send('GET /api/identity/x', h2c)).status, 200);
    assert.deepEqual(
      ['upgrade', 'http2-settings'].flatMap((name) => upstream.requests[0]?.header(name) ?? []),
      [],
    );
  });

  describe('the record of a mutation', () => {
    const recorded = () =>
      dashboard.logged.map((line) => JSON.parse(line)).filter(({ audit }) => audit?.action === 'proxy_write');
    const recordOf = async (target: string) => {
      const found = () => recorded().find(({ audit }) => audit.target === target);
      await until(() => found() !== undefined);
      return found().audit;
    };

    it('names the operator whose session came with it, else anonymous', async () => {
      await send('DELETE /api/identity-admin/admin/identities/1?secret', [cookie(viewer)]);
      await send('DELETE /api/identity-admin/admin/identities/2');
      const named = await recordOf('/api/identity-admin/admin/identities/1');
      assert.match(named.actor, /^[0-9a-f-]{36}$/);
      assert.deepEqual(named.details, { method: 'DELETE', status: 200, peer: '127.0.0.1' });
      assert.equal((await recordOf('/api/identity-admin/admin/identities/2')).actor, 'anonymous');
    });

    it('names as the caller an address alone, without its port, whatever text a trusted proxy passes on', async () => {
      await dashboard.restart({ TRUST_PROXY: '127.0.0.1,10.9.9.9,fd00::9', PROXY_REQUIRE_SESSION: 'false' });
      const NAMED: [forwarded: string, peer: string][] = [
        ['203.0.113.9', '203.0.113.9'],
        ['203.0.113.9:51234', '203.0.113.9'],
        ['[2001:db8::7]:443', '2001:db8::7'],
        ['2001:db8::7', '2001:db8::7'],
        ['6.6.6.6, 203.0.113.9:1,\t10.9.9.9:443, [fd00::9]:443', '203.0.113.9'],
        ['unknown', '127.0.0.1'],
        ['203.0.113.9:port', '127.0.0.1'],
        ['x'.repeat(4_000), '127.0.0.1'],
      ];
      const peers: unknown[] = [];
      for (const [index, [named]] of NAMED.entries()) {
        await send(`DELETE /api/identity-admin/admin/identities/from-${index}`, [`X-Forwarded-For: ${named}`]);
        peers.push((await recordOf(`/api/identity-admin/admin/identities/from-${index}`)).details.peer);
      }
      assert.deepEqual(
        peers,
        NAMED.map(([, peer]) => peer),
      );
      // Of those that name none, once a minute.
      assert.equal(
        dashboard.logged.filter((line) => line.includes('a trusted proxy does not name its clients')).length,
        1,
      );
      await dashboard.restart();
    });
  });
});
