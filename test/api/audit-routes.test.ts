import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import type { SettingHistory } from '../../shared/settings.ts';
import { lockAccounts, startWithAdmin } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';
import { assertError } from '../support/settings-app.ts';

describe('GET /api/security/audit', () => {
  const dashboard = ofSuite(startWithAdmin);
  let adminId: string;

  before(async () => {
    const [login] = (await list('action=login')).events;
    adminId = login?.actor ?? assert.fail('the sign-in left no record');
  });

  const call = (query: string): Promise<Response> => dashboard.callAsAdmin(`/api/security/audit?${query}`);
  async function list(query: string): Promise<AuditPage> {
    const response = await call(query);
    assert.equal(response.status, 200, query);
    return (await response.json()) as AuditPage;
  }
  async function store(key: string): Promise<void> {
    assert.equal((await dashboard.callAsAdmin('/api/settings', { json: { key, value: 'x' } })).status, 201);
  }

  it('returns the newest records first, with a token for the next page except on the last', async () => {
    const keys = ['page.1', 'page.2', 'page.3'];
    for (const key of keys) await store(key);
    const query = 'action=setting_write&page_size=2';
    const first = await list(query);
    const last = await list(`${query}&page_token=${first.next_page_token}`);
    assert.deepEqual([first.has_more, last.has_more, last.next_page_token], [true, false, null]);
    assert.deepEqual(
      [...first.events, ...last.events].map(({ target, subject, actor }) => [target, subject, actor]),
      keys.toReversed().map((key) => [key, `setting:${key}`, adminId]),
    );
  });

  it('finds the records about an identity by its id in lower or upper case', async () => {
    const identity_id = 'abcdef00-0000-4000-8000-000000000001';
    const revoked = await dashboard.callAsAdmin('/api/security/revocations', { json: { identity_id } });
    assert.equal(revoked.status, 204);
    for (const id of [identity_id, identity_id.toUpperCase()])
      assert.equal((await list(`subject=identity:${id}`)).events[0]?.action, 'session_revoke', id);
  });

  it('returns only records of changes with changes=true', async () => {
    await store('changed');
    await dashboard.callAsAdmin('/api/identities');
    const { events } = await list('changes=true');
    assert.equal(events[0]?.target, 'changed');
    assert.ok(events.every(({ action }) => action === 'setting_write' || action === 'session_revoke'));
    assert.equal((await list('')).events[0]?.action, 'identity_search');
  });

  it('accepts a time whose year in UTC is later than 9999, and treats it as later than every record', async () => {
    assert.ok((await list('to=9999-12-31T23:59:59-14:00')).events.length > 0);
    assert.deepEqual((await list('from=9999-12-31T23:59:59-14:00')).events, []);
  });

  it('responds 400 to an invalid parameter', async () => {
    const injection = Buffer.from("2026-01-01T00:00:00.000Z/1' or 1=1/9").toString('base64url');
    for (const [query, code] of [
      ['action=unknown', 'bad_request'],
      ['subject=%00', 'bad_request'],
      ['from=2026-02-30T00:00:00Z', 'bad_request'],
      ['to=2026-02-28T00:00:00%2B24:00', 'bad_request'],
      ['changes=yes', 'bad_request'],
      ['page_size=251', 'invalid_page_size'],
      ['page_token=x', 'invalid_page_token'],
      [`page_token=${injection}`, 'invalid_page_token'],
    ] as const)
      await assertError(await call(query), 400, code);
  });

  it('has the longest reason of each act of our own routes, and can still be verified', async () => {
    const reason = '🔑'.repeat(200);
    const headers = { 'dashboard-reason': encodeURIComponent(reason) };
    await lockAccounts(dashboard, ['ada@example.com']);
    const newest = async () => {
      const history = await dashboard.callAsAdmin('/api/setting-history?key=reason');
      return { key: 'reason', version: ((await history.json()) as SettingHistory).versions[0]?.version };
    };
    const identity_id = 'abcdef00-0000-4000-8000-000000000002';
    for (const [action, method, path, json] of [
      ['setting_write', 'POST', 'settings', { key: 'reason', value: 'x' }],
      ['setting_delete', 'DELETE', 'settings/reason'],
      ['setting_restore', 'POST', 'setting-history/restore', newest],
      ['setting_forget', 'DELETE', 'setting-history?key=reason'],
      ['session_revoke', 'POST', 'security/revocations', { identity_id }],
      ['account_unlock', 'POST', 'security/locked-accounts/unlock', { identifier: 'ada@example.com' }],
    ] as const) {
      const body = typeof json === 'function' ? await json() : json;
      const response = await dashboard.callAsAdmin(`/api/${path}`, { method, json: body, headers });
      assert.ok(response.ok, `${action}: ${response.status}`);
      assert.equal((await list(`action=${action}`)).events[0]?.details.reason, reason, action);
    }
    await dashboard.callAsAdmin('/api/identities', { headers });
    assert.deepEqual((await list('')).events[0]?.details, {});
    await eventually(async () => (await dashboard.callAsAdmin('/api/security/audit/chain')).text(), /"status":"whole"/);
  });
});
