import assert from 'node:assert/strict';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { ask, head, type RawAnswer, RawConnection } from '../support/raw-client.ts';
import { answer, echo, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

describe('the proxies behind the gate', () => {
  let upstream: RawUpstream;
  let dashboard: Dashboard;
  let handler: RawHandler;
  let admin: string;
  let viewer: string;

  before(async () => {
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
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
    handler = echo;
    upstream.requests.length = 0;
  });

  const cookie = (session: string): string => `Cookie: dashboard-session=${session}`;
  const send = (line: string, headers: string[] = [], body = ''): Promise<RawAnswer> =>
    ask(dashboard.port, head(line, headers) + body);
  const errorOf = (result: RawAnswer): string => JSON.parse(result.body.toString()).error;
  const reached = (): boolean => upstream.requests.length > 0;

  describe('the address of a caller', () => {
    it('that the upstream is told is the one that trusted hops vouch for', async () => {
      for (const [env, expected] of [
        [{}, '127.0.0.1'],
        [{ TRUST_PROXY: '1' }, '203.0.113.9'],
      ] as const) {
        await dashboard.restart(env);
        await send('GET /api/identity/x', ['X-Forwarded-For: 6.6.6.6, 203.0.113.9', 'X-Real-IP: 6.6.6.6']);
        assert.deepEqual(upstream.requests.at(-1)?.header('x-forwarded-for'), [expected]);
        assert.deepEqual(upstream.requests.at(-1)?.header('x-real-ip'), [expected]);
      }
    });

    it('outside ALLOWED_NETWORKS has it cut off without a word', async () => {
      await dashboard.restart({ ALLOWED_NETWORKS: '10.0.0.0/8' });
      const connection = await RawConnection.open(dashboard.port);
      connection.write(head('GET /api/identity/x'));
      await connection.closed();
      assert.equal(connection.pending, '');
      assert.equal(reached(), false);
      await dashboard.restart();
    });
  });

  describe('requests that a browser marks as foreign', () => {
    const foreign = [
      ['Sec-Fetch-Site: cross-site'],
      ['Sec-Fetch-Site: same-site'],
      ['Origin: https://evil.example'],
      ['Origin: null'],
    ];
    const own = [['Sec-Fetch-Site: same-origin'], ['Sec-Fetch-Site: none'], [], ['Origin: http://localhost']];

    it('never pass an admin prefix, whatever the method', async () => {
      for (const headers of foreign)
        for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
          const result = await send(`${method} /api/identity-admin/x`, [...headers, cookie(admin)]);
          assert.equal(result.status, 403, `${method} ${headers}`);
          assert.equal(errorOf(result), 'forbidden');
        }
      assert.equal(reached(), false);
      for (const headers of own)
        assert.equal((await send('GET /api/identity-admin/x', [...headers, cookie(admin)])).status, 200);
    });

    it('pass a public prefix, unless a key is stored for it', async () => {
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
  });

  describe('what no proxy does', () => {
    for (const prefix of ['identity', 'oauth-admin'])
      it(`${prefix}: WebSocket 400, TRACE 405, other upgrades ignored`, async () => {
        const upgrade = ['Connection: Upgrade', 'Upgrade: WebSocket', 'Sec-WebSocket-Version: 13'];
        assert.equal((await send(`GET /api/${prefix}/x`, upgrade)).status, 400);
        assert.equal((await send(`TRACE /api/${prefix}/x`)).status, 405);
        assert.equal(reached(), false);
        const ignored = await send(`GET /api/${prefix}/x`, [
          'Connection: Upgrade, HTTP2-Settings',
          'Upgrade: h2c',
          'HTTP2-Settings: x',
        ]);
        assert.equal(ignored.status, 200);
        assert.deepEqual(
          ['upgrade', 'http2-settings'].flatMap((name) => upstream.requests[0]?.header(name) ?? []),
          [],
        );
      });
  });

  describe('the stored key', () => {
    const setting = '/api/settings/upstream.identity-admin.api_key';
    const store = (value: string) =>
      dashboard.call('/api/settings', {
        session: admin,
        json: { key: 'upstream.identity-admin.api_key', value, encrypted: true },
      });
    const sentKey = async (): Promise<string[]> => {
      await send('GET /api/identity-admin/x', ['Authorization: Bearer caller']);
      return upstream.requests.at(-1)?.header('authorization') ?? [];
    };

    it('takes effect at once in the process that stored, changed or deleted it', async () => {
      assert.deepEqual(await sentKey(), []);
      await store('first-key');
      assert.deepEqual(await sentKey(), ['Bearer first-key']);
      await store('second-key');
      assert.deepEqual(await sentKey(), ['Bearer second-key']);
      await dashboard.call(setting, { session: admin, method: 'DELETE' });
      assert.deepEqual(await sentKey(), []);
      assert.doesNotMatch(dashboard.logged.join(''), /first-key|second-key/);
    });

    it('that the present encryption key does not open is never sent: 500', async () => {
      await store('sealed');
      await dashboard.restart({ ENCRYPTION_KEY: 'quite-another-encryption-key-0123456789-abc' });
      upstream.requests.length = 0;
      const result = await send('GET /api/identity-admin/x');
      assert.equal(result.status, 500);
      assert.equal(errorOf(result), 'proxy_error');
      assert.equal(reached(), false);
      await dashboard.restart();
      await dashboard.call(setting, { session: admin, method: 'DELETE' });
    });
  });

  describe('the record of a mutation', () => {
    const recorded = () =>
      dashboard.logged.map((line) => JSON.parse(line)).filter(({ audit }) => audit?.action === 'proxy_write');
    const recordOf = async (target: string) => {
      for (;;) {
        const found = recorded().find(({ audit }) => audit.target === target);
        if (found !== undefined) return found.audit;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };

    it('names the operator whose session came with it, else anonymous', async () => {
      await send('DELETE /api/identity-admin/admin/identities/1?secret', [cookie(viewer)]);
      await send('DELETE /api/identity-admin/admin/identities/2');
      const named = await recordOf('/api/identity-admin/admin/identities/1');
      assert.match(named.actor, /^[0-9a-f-]{36}$/);
      assert.deepEqual(named.details, { method: 'DELETE', status: 200, peer: '127.0.0.1' });
      assert.equal((await recordOf('/api/identity-admin/admin/identities/2')).actor, 'anonymous');
    });

    it('names as the caller an address alone, whatever text a trusted proxy passes on', async () => {
      await dashboard.restart({ TRUST_PROXY: '1', PROXY_REQUIRE_SESSION: 'false' });
      const peers: unknown[] = [];
      for (const [index, named] of ['203.0.113.9', 'unknown', 'x'.repeat(4_000), '203.0.113.9:5123'].entries()) {
        await send(`DELETE /api/identity-admin/admin/identities/from-${index}`, [`X-Forwarded-For: ${named}`]);
        peers.push((await recordOf(`/api/identity-admin/admin/identities/from-${index}`)).details.peer);
      }
      await dashboard.restart();
      assert.deepEqual(peers, ['203.0.113.9', '127.0.0.1', '127.0.0.1', '127.0.0.1']);
    });

    it('a flood of anonymous ones does not delay a setting’s write', async () => {
      handler = (_request, socket) => socket.write(answer('200 OK', []));
      let answered = 0;
      let flooding = true;
      const flood = Promise.all(
        Array.from({ length: 30 }, async () => {
          const connection = await RawConnection.open(dashboard.port);
          while (flooding) {
            connection.write(head('POST /api/identity-admin/admin/identities', ['Content-Length: 0']));
            await connection.answer();
            answered += 1;
          }
          connection.close();
        }),
      );
      while (answered < 500) await new Promise((resolve) => setTimeout(resolve, 5));
      const before = answered;
      for (let index = 0; index < 5; index += 1) {
        const json = { key: `flood.${index}`, value: 'written' };
        assert.equal((await dashboard.call('/api/settings', { session: admin, json })).status, 201);
      }
      const during = answered - before;
      flooding = false;
      await flood;
      assert.ok(during < 5_000, `${during} requests were answered before five settings were written`);
    });
  });

  it('an identity that is deleted through the proxy has no session any more, at once', async () => {
    const own = await startDashboard();
    try {
      const session = await own.signIn('viewer');
      assert.equal((await own.call('/api/dashboard/layout', { session })).status, 200);
      const information = (await (await own.call('/api/auth/session', { session })).json()) as {
        user: { identityId: string };
      };
      const path = `/api/identity-admin/admin/identities/${information.user.identityId}`;
      assert.equal((await own.call(path, { method: 'DELETE' })).status, 204);
      assert.equal((await own.call('/api/dashboard/layout', { session })).status, 401);
    } finally {
      await own.close();
    }
  });
});
