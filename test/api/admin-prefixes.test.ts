import assert from 'node:assert/strict';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { ask, head, type RawAnswer } from '../support/raw-client.ts';
import { echo, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

describe('who may use an admin prefix', () => {
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

  const cookie = (session: string): string => `Cookie: dashboard-session=${session}`;
  const send = (line: string, headers: string[] = []): Promise<RawAnswer> => ask(dashboard.port, head(line, headers));
  const outside = 'X-Forwarded-For: 203.0.113.9';
  const inside = 'X-Forwarded-For: 10.1.2.3';
  const modes: [NodeJS.ProcessEnv, [string[], 'open' | 'session'][]][] = [
    [
      { TRUST_PROXY: '1' },
      [
        [[], 'session'],
        [['X-Forwarded-For:'], 'session'],
        [[inside], 'open'],
        [[outside], 'session'],
        [[inside, outside], 'session'],
        [[outside, inside], 'open'],
      ],
    ],
    [
      { TRUST_PROXY: '127.0.0.1' },
      [
        [[], 'session'],
        [[inside], 'open'],
        [['X-Forwarded-For: 127.0.0.1'], 'session'],
        [[outside], 'session'],
        [['X-Forwarded-For: not an address'], 'session'],
      ],
    ],
    [{ NODE_ENV: 'production', BASE_URL: 'https://dashboard.example' }, [[[], 'session']]],
    [
      { NODE_ENV: 'production', BASE_URL: 'https://dashboard.example', PROXY_REQUIRE_SESSION: 'outside' },
      [
        [[], 'open'],
        [[inside], 'session'],
      ],
    ],
  ];
  for (const [env, callers] of modes)
    it(`${JSON.stringify(env)}: callers from open networks need nothing, others an admin session`, async () => {
      await dashboard.restart(env);
      for (const [headers, expected] of callers) {
        for (const prefix of ['identity-admin', 'iam-identity-admin', 'oauth-admin']) {
          const line = `GET /api/${prefix}/x`;
          const anonymous = await send(line, headers);
          assert.equal(anonymous.status, expected === 'open' ? 200 : 401, `${prefix} ${headers}`);
          assert.equal((await send(line, [...headers, cookie(viewer)])).status, expected === 'open' ? 200 : 403);
          assert.equal((await send(line, [...headers, cookie(admin)])).status, 200);
          if (expected === 'session') assert.equal(JSON.parse(anonymous.body.toString()).error, 'not_authenticated');
        }
        for (const prefix of ['identity', 'iam-identity', 'oauth'])
          assert.equal((await send(`GET /api/${prefix}/x`, headers)).status, 200);
      }
      const sent = JSON.stringify(upstream.requests.map(({ rawHeaders }) => rawHeaders));
      assert.doesNotMatch(sent, /dashboard-session/);
    });
});
