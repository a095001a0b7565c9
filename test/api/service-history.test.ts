import assert from 'node:assert/strict';
import type { ServiceHistory, ServiceName, ServiceState } from '../../shared/services.ts';
import type { Dashboard } from '../support/dashboard.ts';
import { eventually, until } from '../support/eventually.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';

const OFTEN = { firstMs: 1, everyMs: 50 };
/** Longer than a state is kept. */
const MOMENTS_MS = 6_000;
const read = async <T>({ call }: Pick<Dashboard, 'call'>, session: string, path: string): Promise<T> => {
  const response = await call(`/api/services/${path}`, { session });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.doesNotMatch(text, /127\.0\.0\.1|localhost|http|:\d{4,5}\b|\.mmdb|sqlite|mysql/);
  return JSON.parse(text) as T;
};

describe('since when services are as they are', () => {
  let mapped: MappedDashboard;
  let aheadMs = 0;
  before(async () => {
    mapped = await startMappedDashboard(
      { PROXY_TIMEOUT_MS: '1000' },
      { monotonic: () => performance.now() + aheadMs, watchPace: OFTEN },
    );
  });
  after(() => mapped.close());

  const state = (name: ServiceName): Promise<ServiceState> =>
    read<ServiceState>(mapped.dashboard, mapped.sessions.viewer, name);
  const history = async (name: ServiceName): Promise<ServiceHistory['changes']> => {
    const response = await read<ServiceHistory>(mapped.dashboard, mapped.sessions.viewer, `${name}/history`);
    assert.equal(response.name, name);
    return response.changes;
  };
  const statuses = async (name: ServiceName): Promise<unknown[]> =>
    (await history(name)).map(({ status, problem }) => [status, problem]);

  it('is told by each service and by their list, to everybody, and how it was before by its history', async () => {
    await until(async () => (await state('identity-admin')).since !== null);
    const { since } = await state('identity-admin');
    const [first] = await history('identity-admin');
    assert.equal(first?.at, since);
    assert.deepEqual(Object.keys(first ?? {}).sort(), ['at', 'one_replica', 'problem', 'status']);
    const before = (await statuses('identity-admin')).length;
    mapped.identityAdmin.before = () => 'silence';
    aheadMs += MOMENTS_MS;
    await eventually(
      async () => (await statuses('identity-admin')).slice(0, 2),
      [
        ['down', 'slow'],
        ['up', null],
      ],
    );
    const [change] = await history('identity-admin');
    await eventually(async () => (await state('identity-admin')).since, change?.at);
    const response = await mapped.dashboard.call('/api/services', { session: mapped.sessions.viewer });
    const { services } = (await response.json()) as { services: ServiceState[] };
    assert.equal(services.find(({ name }) => name === 'identity-admin')?.since, change?.at);
    assert.ok(services.every(({ since }) => since !== null));
    mapped.identityAdmin.calm();
    aheadMs += MOMENTS_MS;
    await eventually(async () => (await statuses('identity-admin'))[0], ['up', null]);
    assert.equal((await statuses('identity-admin')).length, before + 2);
    assert.deepEqual(await statuses('operators'), [['up', null]]);
    assert.deepEqual((await statuses('iam-identity'))[0], ['not_configured', null]);
  });
});
