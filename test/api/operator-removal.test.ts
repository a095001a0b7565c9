import assert from 'node:assert/strict';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { replicaOf } from '../support/replica.ts';

describe('an operator', () => {
  let dashboard: Dashboard;
  beforeEach(async () => {
    dashboard = await startDashboard();
  });
  afterEach(() => dashboard.close());

  const statusOf = async (session: string): Promise<number> =>
    (await dashboard.call('/api/dashboard/layout', { session })).status;
  async function identityOf(session: string): Promise<string> {
    const response = await dashboard.call('/api/auth/session', { session });
    return ((await response.json()) as { user: { identityId: string } }).user.identityId;
  }

  it('who is deleted through the dashboard is signed out with the next request, everywhere', async () => {
    const admin = await dashboard.signIn('admin');
    const viewers = [await dashboard.signIn('viewer'), await dashboard.signIn('viewer')];
    for (const viewer of viewers) assert.equal(await statusOf(viewer), 200);
    const id = await identityOf(viewers[0] ?? '');
    const path = `/api/identity-admin/admin/identities/${id}`;
    assert.equal((await dashboard.call(path, { session: admin, method: 'DELETE' })).status, 204);
    for (const viewer of viewers) assert.equal(await statusOf(viewer), 401);
    assert.equal(await statusOf(admin), 200);
  });

  it('who is activated again and signs in is let in at once, also by a replica that had found them gone', async () => {
    const admin = await dashboard.signIn('admin');
    const viewer = await dashboard.signIn('viewer');
    const path = `/api/identity-admin/admin/identities/${await identityOf(viewer)}`;
    const setState = (value: string): Promise<Response> =>
      dashboard.call(path, { session: admin, method: 'PATCH', json: [{ op: 'replace', path: '/state', value }] });
    const replica = await replicaOf(dashboard);
    const statusAt = async (session: string): Promise<number> =>
      (await replica.call('/api/dashboard/layout', { session })).status;
    try {
      assert.equal((await setState('inactive')).status, 200);
      assert.equal(await statusAt(viewer), 401);
      assert.equal((await setState('active')).status, 200);
      const back = await dashboard.signIn('viewer');
      assert.equal(await statusAt(back), 200);
      assert.equal(await statusAt(viewer), 401);
    } finally {
      await replica.close();
    }
  });
});
