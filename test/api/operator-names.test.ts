import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import type { Role } from '../../shared/capabilities.ts';
import type { OperatorName, OperatorNames } from '../../shared/security.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { type FaultingUpstream, startFaultingUpstream } from '../support/faulting-upstream.ts';

const NOBODY = '1f0c2a9b-0000-4000-8000-000000000000';
const CLOSED = 'http://127.0.0.1:9';

describe('the names of operators', () => {
  let aheadMs = 0;
  let dashboard: Dashboard;
  let store: FaultingUpstream;
  let session: string;
  let admin: OperatorName;
  let viewer: OperatorName;

  before(async () => {
    store = await startFaultingUpstream();
    dashboard = await startDashboard({ monotonic: () => performance.now() + aheadMs });
    store.target = dashboard.sandbox.environment['IDENTITY_ADMIN_URL'] ?? '';
    // The proxied store is a different one: operators are looked up only in their own.
    await dashboard.restart({ AUTH_IDENTITY_ADMIN_URL: store.url, IDENTITY_ADMIN_URL: CLOSED });
    session = await dashboard.signIn('admin');
    admin = await operator('admin', 'Noor de Vries');
    viewer = await operator('viewer', 'Kwame Mensah');
  });
  after(async () => {
    await dashboard?.close();
    await store?.close();
  });
  beforeEach(() => {
    aheadMs += 60_000;
    store.calm();
  });

  async function operator(role: Role, name: string): Promise<OperatorName> {
    const response = await dashboard.call('/api/auth/session', { session: await dashboard.signIn(role) });
    const { user } = (await response.json()) as { user: { identityId: string; email: string } };
    return { identity_id: user.identityId, name, email: user.email };
  }
  async function named(query: string): Promise<OperatorName[]> {
    const response = await dashboard.call(`/api/security/operators/names?${query}`, { session });
    assert.equal(response.status, 200);
    return ((await response.json()) as OperatorNames).names;
  }
  const byId = (...ids: string[]): Promise<OperatorName[]> => named(ids.map((id) => `id=${id}`).join('&'));
  const nameless = (identity_id: string): OperatorName => ({ identity_id, name: null, email: null });
  const isList = ({ path }: { path: string }): boolean => path.startsWith('/admin/identities?');
  const listings = (): string[] => store.seen.filter(isList).map(({ path }) => path);

  it('come from the operators’ own store, in one request for all of them', async () => {
    const { identity_id: id } = admin;
    assert.deepEqual(await byId(NOBODY, viewer.identity_id, id.toUpperCase(), id), [
      nameless(NOBODY),
      viewer,
      admin,
      admin,
    ]);
    assert.deepEqual(listings(), [`/admin/identities?ids=${NOBODY}&ids=${viewer.identity_id}&ids=${id}&page_size=500`]);
  });

  it('can be looked up by an exact e-mail address, with a record', async () => {
    assert.deepEqual(await named(`identifier=${encodeURIComponent(viewer.email?.toUpperCase() ?? '')}`), [viewer]);
    assert.deepEqual(await named('identifier=viewer%40example'), []);
    const response = await dashboard.call('/api/security/audit?action=identity_search&page_size=1', { session });
    const { events } = (await response.json()) as AuditPage;
    assert.deepEqual([events[0]?.actor, events[0]?.target], [admin.identity_id, 'viewer@example']);
  });

  it('stand in no record and in no line of the log', async () => {
    await byId(admin.identity_id, viewer.identity_id);
    const trail = await dashboard.call('/api/security/audit?page_size=250', { session });
    const records = ((await trail.json()) as AuditPage).events.map((event) => JSON.stringify(event));
    assert.ok(records.some((record) => record.includes('"login"')));
    for (const text of [...records, ...dashboard.logged].filter((line) => !line.includes('identity_search')))
      for (const { name, email } of [admin, viewer])
        assert.ok(!text.includes(name ?? '') && !text.includes(email ?? ''), text);
  });
});
