import assert from 'node:assert/strict';
import type { ServiceName, ServiceState, Services } from '../../shared/services.ts';
import type { StubResponse } from '../support/faulting-upstream.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';

const NAMES: ServiceName[] = [
  'identity',
  'identity-admin',
  'iam-identity',
  'iam-identity-admin',
  'oauth',
  'oauth-admin',
  'operators',
  'database',
  'geo',
];

describe('services', () => {
  let mapped: MappedDashboard;
  let aheadMs = 0;
  before(async () => {
    // Checks seem to take a tenth of their time: none is slow by itself.
    mapped = await startMappedDashboard({}, { monotonic: () => performance.now() / 10 + aheadMs });
  });
  beforeEach(() => mapped.restart());
  after(() => mapped.close());

  const call = (path = '', session = mapped.sessions.viewer) =>
    mapped.dashboard.call(`/api/services${path}`, { session });
  async function state(name: ServiceName): Promise<ServiceState> {
    const response = await call(`/${name}`);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.doesNotMatch(text, /127\.0\.0\.1|localhost|http|[\w\]]:\d{4,5}\b|\.mmdb|sqlite|10\.1\.2\.3/);
    return JSON.parse(text) as ServiceState;
  }
  const stateOf = async (name: ServiceName): Promise<[status: string, problem: string | null]> => {
    const { status, problem } = await state(name);
    return [status, problem];
  };

  it('are all named in their order, up where they are configured, with versions from the admin ports', async () => {
    const response = await call();
    const { services } = (await response.json()) as Services;
    assert.deepEqual(
      services.map(({ name }) => name),
      NAMES,
    );
    for (const service of services) {
      const configured = !service.name.startsWith('iam-');
      assert.equal(service.status, configured ? 'up' : 'not_configured', service.name);
      const withVersion = ['identity-admin', 'oauth-admin', 'operators'].includes(service.name);
      assert.match(service.version ?? 'none', withVersion ? /^v\d/ : /^none$/, service.name);
      assert.equal(Number.isInteger(service.latency_ms), configured && service.name !== 'geo', service.name);
      assert.ok(Math.abs(Date.parse(service.checked_at) - Date.now()) < 600_000);
      assert.deepEqual(Object.keys(service).sort(), [
        'checked_at',
        'latency_ms',
        'name',
        'problem',
        'since',
        'status',
        'version',
      ]);
    }
  });

  it('are checked once for all who ask, and not again within five seconds', async () => {
    const [one, ...others] = await Promise.all(Array.from({ length: 10 }, () => state('identity-admin')));
    for (const other of [...others, await state('identity-admin')]) assert.deepEqual(other, one);
    const paths = mapped.identityAdmin.seen.map(({ path }) => path).sort();
    assert.deepEqual(paths, ['/admin/identities?page_size=1', '/health/ready', '/version']);
  });

  type Fault = [fault: string, path: RegExp, response: StubResponse, status: string, problem: string];
  const READY = /^\/health\/ready/;
  const ROWS = /^\/admin\//;
  const FAULTS: Fault[] = [
    ['is not ready', READY, { status: 503, body: '{"error":{"message":"database 10.1.2.3"}}' }, 'degraded', 'failing'],
    ['refuses the key', ROWS, { status: 401, body: '{}' }, 'degraded', 'refuses_key'],
    ['fails on rows', ROWS, { status: 500, body: '{}' }, 'degraded', 'failing'],
    ['has no rows', ROWS, { status: 200, body: '{"rows":[]}' }, 'degraded', 'nonsense'],
  ];
  it('are degraded where an API works in part, by what is wrong', async () => {
    for (const [fault, path, given, status, problem] of FAULTS) {
      mapped.identityAdmin.before = (seen) => (path.test(seen.path) ? given : undefined);
      mapped.oauthAdmin.before = mapped.identityAdmin.before;
      aheadMs += 5_000;
      for (const name of ['identity-admin', 'oauth-admin'] as const)
        assert.deepEqual(await stateOf(name), [status, problem], `${name} ${fault}`);
      assert.deepEqual(await stateOf('operators'), ['up', null]);
    }
  });

  it('are down where they are silent, and slow where they are late', async () => {
    await mapped.restart({ PROXY_TIMEOUT_MS: '1000' });
    mapped.identityAdmin.before = () => 'silence';
    assert.deepEqual(await stateOf('identity-admin'), ['down', 'slow']);
    await mapped.restart();
    mapped.identityAdmin.before = () => {
      aheadMs += 1_100;
      return undefined;
    };
    const { status, problem, latency_ms } = await state('identity-admin');
    assert.deepEqual([status, problem], ['up', 'slow']);
    assert.ok(Number(latency_ms) > 1_000);
  });

  it('that are not there are down, unreachable, and those without an address not configured', async () => {
    await mapped.restart({
      IDENTITY_URL: 'http://127.0.0.1:1',
      IDENTITY_ADMIN_URL: 'http://127.0.0.1:1',
      AUTH_IDENTITY_ADMIN_URL: 'http://127.0.0.1:1',
      OAUTH_ADMIN_URL: '',
    });
    for (const name of ['identity', 'identity-admin', 'operators'] as const)
      assert.deepEqual(await stateOf(name), ['down', 'unreachable'], name);
    assert.deepEqual(await stateOf('oauth-admin'), ['not_configured', null]);
    const { latency_ms, version } = await state('identity-admin');
    assert.deepEqual([latency_ms, version], [null, null]);
    await mapped.restart();
  });
});
