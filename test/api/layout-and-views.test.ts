import assert from 'node:assert/strict';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { assertError } from '../support/settings-app.ts';

interface Case {
  path: string;
  none: object;
  maxKib: number;
  /** A document that is recognised by this id. */
  of(id: string): object;
  invalid: object;
}

const CASES: Record<string, Case> = {
  'the layout of the overview': {
    path: '/api/dashboard/layout',
    none: { layout: null },
    maxKib: 64,
    of: (id) => ({ layout: { widgets: [{ id, x: 0, y: 0, w: 4, h: 2 }], hidden: [] } }),
    invalid: { layout: { widgets: [{ id: 'map', x: -1, y: 0, w: 4, h: 2 }], hidden: [] } },
  },
  'saved views': {
    path: '/api/dashboard/views',
    none: { views: [] },
    maxKib: 256,
    of: (id) => ({ views: [{ id, resource: 'identities', name: `<b>${id}</b> 🔑`, search: 'q=ada' }] }),
    invalid: { views: [{ id: 'A' }] },
  },
};

describe('what operators arrange for themselves', () => {
  let dashboard: Dashboard;
  let admin: string;
  let viewer: string;

  before(async () => {
    dashboard = await startDashboard();
    admin = await dashboard.signIn('admin');
    viewer = await dashboard.signIn('viewer');
  });
  after(() => dashboard.close());

  for (const [title, { path, none, maxKib, of, invalid }] of Object.entries(CASES))
    describe(title, () => {
      const get = async (session = admin): Promise<unknown> => (await dashboard.call(path, { session })).json();
      const put = (session: string, json: unknown, headers: Record<string, string> = {}): Promise<Response> =>
        dashboard.call(path, { session, method: 'PUT', json, headers });
      const tagOf = async (response: Response | Promise<Response>): Promise<string> =>
        (await response).headers.get('etag') ?? assert.fail('no ETag');
      beforeEach(async () => {
        for (const session of [admin, viewer]) assert.equal((await put(session, none)).status, 200);
      });

      it('is saved on the condition that nobody else has saved since, and without one over anything', async () => {
        const seen = await tagOf(dashboard.call(path, { session: admin }));
        const first = await put(admin, of('first'), { 'if-match': seen });
        assert.equal(first.status, 200);
        for (const stale of [seen, `W/${seen}`])
          await assertError(await put(admin, of('second'), { 'if-match': stale }), 412, 'precondition_failed');
        assert.deepEqual(await get(), of('first'));
        const compressed = (await tagOf(first)).replace(/"$/, '-gzip"');
        assert.equal((await put(admin, of('second'), { 'if-match': compressed })).status, 200);
        assert.equal((await put(admin, of('third'))).status, 200);
        assert.deepEqual(await get(), of('third'));
      });

      it('is validated before its condition, and what was stored stays', async () => {
        await put(admin, of('stored'));
        await assertError(await put(admin, invalid, { 'if-match': '"old"' }), 400, 'bad_request');
        for (const [kib, status] of [
          [maxKib - 1, 400],
          [maxKib, 413],
        ] as const)
          assert.equal((await put(admin, { unknown: 'x'.repeat(kib * 1024) })).status, status);
        assert.deepEqual(await get(), of('stored'));
      });

      it('is out of reach of another operator, whatever a request names', async () => {
        await put(viewer, of('of-the-viewer'));
        const session = await dashboard.call('/api/auth/session', { session: viewer });
        const { user } = (await session.json()) as { user: { identityId: string } };
        for (const target of [path, `${path}/${user.identityId}`, `${path}?identity_id=${user.identityId}`]) {
          const response = await dashboard.call(target, { session: admin, headers: { 'x-user-id': user.identityId } });
          assert.doesNotMatch(await response.text(), /of-the-viewer/);
        }
        await put(admin, of('of-the-admin'));
        assert.deepEqual(await get(viewer), of('of-the-viewer'));
      });
    });
});
