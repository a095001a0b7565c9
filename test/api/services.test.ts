import assert from 'node:assert/strict';
import type { ServiceHistory, ServiceName, ServiceState, Services } from '../../shared/services.ts';
import { eventually, until } from '../support/eventually.ts';
import type { StubResponse } from '../support/faulting-upstream.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';

const NAMES = 'identity identity-admin iam-identity iam-identity-admin oauth oauth-admin operators database geo';
const UNREACHABLE = 'http://127.0.0.1:1';
/** Longer than a state is cached. */
const CACHE_MS = 6_000;

async function read<T>({ dashboard, sessions }: MappedDashboard, path: string): Promise<T> {
  const response = await dashboard.call(`/api/services${path}`, { session: sessions.viewer });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.doesNotMatch(text, /127\.0\.0\.1|localhost|http|[\w\]]:\d{4,5}\b|\.mmdb|sqlite|mysql|10\.1\.2\.3/);
  return JSON.parse(text) as T;
}

describe('/api/services', () => {
  let elapsed = 0;
  // Its clock runs at a tenth of the speed, so that a slow machine makes no check slow.
  const mapped = ofSuite(() => startMappedDashboard({}, { monotonic: () => performance.now() / 10 + elapsed }));
  beforeEach(() => mapped.restart());

  const stateOf = (name: ServiceName): Promise<ServiceState> => read(mapped, `/${name}`);
  async function statusOf(name: ServiceName): Promise<[status: string, problem: string | null]> {
    const { status, problem } = await stateOf(name);
    return [status, problem];
  }

  it('lists every service in order, as up if it is configured, and with the version that an admin API reports', async () => {
    const { services } = await read<Services>(mapped, '');
    assert.equal(services.map(({ name }) => name).join(' '), NAMES);
    for (const service of services) {
      const configured = !service.name.startsWith('iam-');
      assert.equal(service.status, configured ? 'up' : 'not_configured', service.name);
      const withVersion = ['identity-admin', 'oauth-admin', 'operators'].includes(service.name);
      assert.match(service.version ?? 'none', withVersion ? /^v\d/ : /^none$/, service.name);
      assert.equal(Number.isInteger(service.latency_ms), configured && service.name !== 'geo', service.name);
      assert.ok(Math.abs(Date.parse(service.checked_at) - Date.now()) < 600_000);
    }
  });

  it('checks a service once for all concurrent callers, and not again within five seconds', async () => {
    const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => stateOf('identity-admin')));
    for (const other of [...others, await stateOf('identity-admin')]) assert.deepEqual(other, first);
    const paths = mapped.identityAdmin.requests.map(({ path }) => path).sort();
    assert.deepEqual(paths, ['/admin/identities?page_size=1', '/health/ready', '/version']);
  });

  const READY = /^\/health\/ready/;
  const ROWS = /^\/admin\//;
  const FAULTS: [fault: string, path: RegExp, response: StubResponse, problem: string][] = [
    ['is not ready', READY, { status: 503, body: '{"error":{"message":"database 10.1.2.3"}}' }, 'failing'],
    ['refuses the key', ROWS, { status: 401, body: '{}' }, 'refuses_key'],
    ['fails to list rows', ROWS, { status: 500, body: '{}' }, 'failing'],
    ['returns an object instead of a list', ROWS, { status: 200, body: '{"rows":[]}' }, 'nonsense'],
  ];
  for (const [fault, path, response, problem] of FAULTS)
    it(`reports an admin API that ${fault} as degraded, with the problem ${problem}`, async () => {
      mapped.identityAdmin.before = (request) => (path.test(request.path) ? response : undefined);
      mapped.oauthAdmin.before = mapped.identityAdmin.before;
      for (const name of ['identity-admin', 'oauth-admin'] as const)
        assert.deepEqual(await statusOf(name), ['degraded', problem], name);
      assert.deepEqual(await statusOf('operators'), ['up', null]);
    });

  it('reports a service that does not respond as down, and one that responds late as slow', async () => {
    await mapped.restart({ PROXY_TIMEOUT_MS: '1000' });
    mapped.identityAdmin.before = () => 'silence';
    assert.deepEqual(await statusOf('identity-admin'), ['down', 'slow']);
    await mapped.restart();
    mapped.identityAdmin.before = () => {
      elapsed += 1_100;
      return undefined;
    };
    const { status, problem, latency_ms } = await stateOf('identity-admin');
    assert.deepEqual([status, problem], ['up', 'slow']);
    assert.ok(Number(latency_ms) > 1_000);
  });

  it('reports an unreachable service as down, and one without an address as not configured', async () => {
    await mapped.restart({
      IDENTITY_URL: UNREACHABLE,
      IDENTITY_ADMIN_URL: UNREACHABLE,
      AUTH_IDENTITY_ADMIN_URL: UNREACHABLE,
      OAUTH_ADMIN_URL: '',
    });
    for (const name of ['identity', 'identity-admin', 'operators'] as const)
      assert.deepEqual(await statusOf(name), ['down', 'unreachable'], name);
    assert.deepEqual(await statusOf('oauth-admin'), ['not_configured', null]);
    const { latency_ms, version } = await stateOf('identity-admin');
    assert.deepEqual([latency_ms, version], [null, null]);
  });
});

describe('the history of a service', () => {
  const mapped = ofSuite(() =>
    startMappedDashboard(
      { PROXY_TIMEOUT_MS: '1000' },
      { monotonic: () => performance.now() + elapsed, watchPace: { firstMs: 1, everyMs: 50 } },
    ),
  );
  let elapsed = 0;

  const sinceOf = async (name: ServiceName) => (await read<ServiceState>(mapped, `/${name}`)).since;
  async function historyOf(name: ServiceName): Promise<ServiceHistory['changes']> {
    const history = await read<ServiceHistory>(mapped, `/${name}/history`);
    assert.equal(history.name, name);
    return history.changes;
  }
  const statusesOf = async (name: ServiceName): Promise<unknown[]> =>
    (await historyOf(name)).map(({ status, problem }) => [status, problem]);

  it('has each change of its status, and both the service and the list report the time of the latest change', async () => {
    await until(async () => (await sinceOf('identity-admin')) !== null);
    const [first] = await historyOf('identity-admin');
    assert.equal(first?.at, await sinceOf('identity-admin'));
    const before = (await statusesOf('identity-admin')).length;
    mapped.identityAdmin.before = () => 'silence';
    elapsed += CACHE_MS;
    await eventually(async () => (await statusesOf('identity-admin'))[0], ['down', 'slow']);
    assert.deepEqual((await statusesOf('identity-admin'))[1], ['up', null]);
    const [change] = await historyOf('identity-admin');
    await eventually(() => sinceOf('identity-admin'), change?.at);
    const { services } = await read<Services>(mapped, '');
    assert.equal(services.find(({ name }) => name === 'identity-admin')?.since, change?.at);
    assert.ok(services.every(({ since }) => since !== null));
    mapped.identityAdmin.reset();
    elapsed += CACHE_MS;
    await eventually(async () => (await statusesOf('identity-admin'))[0], ['up', null]);
    assert.equal((await statusesOf('identity-admin')).length, before + 2);
    assert.deepEqual(await statusesOf('operators'), [['up', null]]);
    assert.deepEqual((await statusesOf('iam-identity'))[0], ['not_configured', null]);
  });
});
