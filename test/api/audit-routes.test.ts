import assert from 'node:assert/strict';
import type { AuditPage, AuditRecord } from '../../shared/audit.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { assertError } from '../support/settings-app.ts';

describe('the audit trail over HTTP', () => {
  let dashboard: Dashboard;
  let admin: string;
  let adminId: string;

  before(async () => {
    dashboard = await startDashboard();
    admin = await dashboard.signIn('admin');
    const [login] = (await json<AuditPage>('audit?action=login')).events;
    adminId = login?.actor ?? assert.fail('the sign-in left no record');
  });
  after(() => dashboard?.close());

  const call = (path: string): Promise<Response> => dashboard.call(`/api/security/${path}`, { session: admin });
  async function json<T>(path: string): Promise<T> {
    const response = await call(path);
    assert.equal(response.status, 200, path);
    return (await response.json()) as T;
  }

  const put = (key: string): Promise<Response> =>
    dashboard.call('/api/settings', { session: admin, json: { key, value: 'x' } });

  it('gives page by page to the end, with an opaque token', async () => {
    const keys = ['page.1', 'page.2', 'page.3', 'page.4', 'page.5'];
    for (const key of keys) assert.equal((await put(key)).status, 201);
    const seen: AuditRecord[] = [];
    let token: string | null = '';
    do {
      const page: AuditPage = await json(`audit?action=setting_write&page_size=2&page_token=${token}`);
      assert.equal(page.has_more, page.next_page_token !== null);
      seen.push(...page.events);
      token = page.next_page_token;
    } while (token !== null);
    assert.deepEqual(
      seen.map(({ target, subject, actor }) => [target, subject, actor]),
      keys.toReversed().map((key) => [key, `setting:${key}`, adminId]),
    );
  });

  it('names what a proxied request created, by the response', async () => {
    const identity = await dashboard.call('/api/identity-admin/admin/identities', {
      session: admin,
      json: { schema_id: 'customer', traits: { email: 'new@example.com' } },
    });
    assert.equal(identity.status, 201);
    const { id } = (await identity.json()) as { id: string };
    // A response does not wait for its record forever.
    for (const uuid of [id, id.toUpperCase()])
      await eventually(async () => {
        const { events } = await json<AuditPage>(`audit?subject=identity:${uuid}`);
        return events.map(({ action, details }) => [action, details.status]);
      }, [['proxy_write', 201]]);
  });

  it('gives changes alone, and none of what was only read', async () => {
    await put('changed');
    await dashboard.call('/api/identities', { session: admin });
    const { events } = await json<AuditPage>('audit?changes=true');
    assert.equal(events[0]?.target, 'changed');
    assert.ok(events.every(({ action }) => action === 'setting_write' || action === 'proxy_write'));
    assert.equal((await json<AuditPage>('audit')).events[0]?.action, 'identity_search');
  });

  it('takes a time whose year in UTC is later than 9999 for the end of all times', async () => {
    const { events } = await json<AuditPage>('audit?to=9999-12-31T23:59:59-14:00');
    assert.ok(events.length > 0);
    assert.deepEqual((await json<AuditPage>('audit?from=9999-12-31T23:59:59-14:00')).events, []);
  });

  const REFUSED: [query: string, code: string][] = [
    ['action=unknown', 'bad_request'],
    ['subject=%00', 'bad_request'],
    ['from=2026-02-30T00:00:00Z', 'bad_request'],
    ['to=2026-02-28T00:00:00%2B24:00', 'bad_request'],
    ['changes=yes', 'bad_request'],
    ['page_size=251', 'invalid_page_size'],
    ['page_token=x', 'invalid_page_token'],
    [`page_token=${Buffer.from("2026-01-01T00:00:00.000Z/1' or 1=1/9").toString('base64url')}`, 'invalid_page_token'],
  ];
  it('refuses parameters that are not right', async () => {
    for (const [query, code] of REFUSED) await assertError(await call(`audit?${query}`), 400, code);
  });
});
