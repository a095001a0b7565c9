import assert from 'node:assert/strict';
import type { ServiceHistory, ServiceName, ServiceState } from '../../shared/services.ts';
import { becomes, until } from '../support/becomes.ts';
import { callAt, type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';
import { type Replica, replicaOf } from '../support/replica.ts';
import { type SeverableDatabase, severable } from '../support/severable.ts';

const OFTEN = { firstMs: 1, everyMs: 50 };
/** Longer than a state is kept. */
const MOMENTS_MS = 6_000;
type At = { call: Dashboard['call'] };

const read = async <T>({ call }: At, session: string, path: string): Promise<T> => {
  const answer = await call(`/api/services/${path}`, { session });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.doesNotMatch(text, /127\.0\.0\.1|localhost|http|:\d{4,5}\b|\.mmdb|sqlite|mysql/);
  return JSON.parse(text) as T;
};

describe('since when services are as they are', () => {
  let mapped: MappedDashboard;
  let replica: Replica | undefined;
  let aheadMs = 0;
  before(async () => {
    mapped = await startMappedDashboard(
      { PROXY_TIMEOUT_MS: '1000' },
      { monotonic: () => performance.now() + aheadMs, watchPace: OFTEN },
    );
  });
  beforeEach(() => mapped.restart());
  afterEach(async () => {
    await replica?.close();
    replica = undefined;
  });
  after(() => mapped.close());

  const state = (name: ServiceName, at: At = mapped.dashboard): Promise<ServiceState> =>
    read<ServiceState>(at, mapped.sessions.viewer, name);
  const history = async (name: ServiceName, at: At = mapped.dashboard): Promise<ServiceHistory['changes']> => {
    const answer = await read<ServiceHistory>(at, mapped.sessions.viewer, `${name}/history`);
    assert.equal(answer.name, name);
    return answer.changes;
  };
  const statuses = async (name: ServiceName, at?: At): Promise<unknown[]> =>
    (await history(name, at)).map(({ status, problem }) => [status, problem]);
  const goesDown = (): void => {
    mapped.identityAdmin.before = () => 'silence';
    aheadMs += MOMENTS_MS;
  };
  const comesBack = (): void => {
    mapped.identityAdmin.calm();
    aheadMs += MOMENTS_MS;
  };

  it('is told by each service and by their list, to everybody, and how it was before by its history', async () => {
    await until(async () => (await state('identity-admin')).since !== null);
    const { since } = await state('identity-admin');
    const [first] = await history('identity-admin');
    assert.equal(first?.at, since);
    assert.deepEqual(Object.keys(first ?? {}).sort(), ['at', 'one_replica', 'problem', 'status']);
    const before = (await statuses('identity-admin')).length;
    goesDown();
    await becomes(
      async () => (await statuses('identity-admin')).slice(0, 2),
      [
        ['down', 'slow'],
        ['up', null],
      ],
    );
    const [change] = await history('identity-admin');
    await becomes(async () => (await state('identity-admin')).since, change?.at);
    const answer = await mapped.dashboard.call('/api/services', { session: mapped.sessions.viewer });
    const { services } = (await answer.json()) as { services: ServiceState[] };
    assert.equal(services.find(({ name }) => name === 'identity-admin')?.since, change?.at);
    assert.ok(services.every(({ since }) => since !== null));
    comesBack();
    await becomes(async () => (await statuses('identity-admin'))[0], ['up', null]);
    assert.equal((await statuses('identity-admin')).length, before + 2);
    assert.deepEqual(await statuses('operators'), [['up', null]]);
    assert.deepEqual((await statuses('iam-identity'))[0], ['not_configured', null]);
  });

  it('stays as it was when the service starts again', async () => {
    await until(async () => (await state('oauth')).since !== null);
    const { since } = await state('oauth');
    const before = await history('oauth');
    await mapped.restart();
    assert.equal((await state('oauth')).since, since);
    const { seen } = mapped.identityAdmin;
    await until(() => seen.length > 0);
    assert.deepEqual(await history('oauth'), before);
  });

  it('is looked at by one of two replicas and told by both', async () => {
    await until(async () => (await state('identity-admin')).since !== null);
    replica = await replicaOf(mapped.dashboard, { watchPace: OFTEN });
    const before = await history('identity-admin');
    goesDown();
    await becomes(async () => (await statuses('identity-admin', replica))[0], ['down', 'slow']);
    comesBack();
    await becomes(async () => (await statuses('identity-admin', replica))[0], ['up', null]);
    assert.equal((await history('identity-admin')).length, before.length + 2);
    assert.deepEqual(await history('identity-admin', replica), await history('identity-admin'));
  });
});

describe('since when services are as they are, long before the next look', () => {
  let mapped: MappedDashboard;
  let aheadMs = 0;
  before(async () => {
    const rarely = { firstMs: 1, everyMs: 3_600_000 };
    mapped = await startMappedDashboard(
      { PROXY_TIMEOUT_MS: '1000' },
      { monotonic: () => performance.now() + aheadMs, watchPace: rarely },
    );
  });
  after(() => mapped.close());

  it('is never that of another status, and is known as soon as somebody has asked', async () => {
    const state = (): Promise<ServiceState> => read(mapped.dashboard, mapped.sessions.admin, 'identity-admin');
    await until(async () => (await state()).since !== null);
    const { since } = await state();
    for (const status of ['down', 'up'] as const) {
      if (status === 'down') mapped.identityAdmin.before = () => 'silence';
      else mapped.identityAdmin.calm();
      aheadMs += MOMENTS_MS;
      const found = await state();
      assert.deepEqual([found.status, found.since], [status, null]);
      await until(async () => (await state()).since !== null);
      assert.ok(String((await state()).since) > String(since));
    }
  });
});

describeOnDatabases('since when services are as they are, while the database is away', (databases) => {
  // SQLite's file has no way to it that could be cut.
  if (databases.client === 'sqlite') return;
  let dashboard: Dashboard;
  let way: SeverableDatabase;
  let aheadMs = 0;
  beforeEach(async () => {
    way = await severable(await databases.create());
    dashboard = await startDashboard({
      env: { DATABASE_URL: way.url },
      monotonic: () => performance.now() + aheadMs,
      watchPace: OFTEN,
    });
  });
  afterEach(async () => {
    await dashboard.close();
    await way.close();
  });

  it('is not known of the database, and told once it is back', async () => {
    const session = await dashboard.signIn('viewer');
    const state = (name: ServiceName): Promise<ServiceState> => read(dashboard, session, name);
    const since = async (name: ServiceName): Promise<string | null> => (await state(name)).since;
    await until(async () => (await since('database')) !== null && (await since('oauth')) !== null);
    const ofOauth = await since('oauth');
    await way.sever();
    aheadMs += MOMENTS_MS;
    await becomes(async () => (await state('database')).status, 'down');
    assert.equal(await since('database'), null);
    assert.equal(await since('oauth'), ofOauth);
    const refused = await callAt(dashboard.url, '/api/services/database/history', { session });
    assert.equal(refused.status, 503);
    await way.restore();
    aheadMs += MOMENTS_MS;
    await becomes(
      async () => {
        if ((await state('database')).status !== 'up') aheadMs += MOMENTS_MS;
        const answer = await dashboard.call('/api/services/database/history', { session });
        if (answer.status !== 200) return answer.status;
        const { changes } = (await answer.json()) as ServiceHistory;
        return changes.map(({ status, one_replica }) => [status, one_replica]);
      },
      [
        ['up', true],
        ['down', true],
        ['up', false],
      ],
      undefined,
      30_000,
    );
  });
});
