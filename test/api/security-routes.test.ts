import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { operatorsIn } from '../../server/features/security/operators.ts';
import type { AuditPage } from '../../shared/audit.ts';
import type { LockedAccountList, OperatorList, Posture } from '../../shared/security.ts';
import { type Dashboard, knexOf, startDashboard, startReplica } from '../support/dashboard.ts';
import { until } from '../support/eventually.ts';
import { sessionIn } from '../support/http-sign-in.ts';
import { ofSuite } from '../support/of-suite.ts';
import { sandboxCredentials } from '../support/platform.ts';
import { assertError } from '../support/settings-app.ts';

describe('the route', () => {
  const dashboard = ofSuite(startDashboard);
  let knex: Knex;
  let admin: string;
  let adminId: string;

  before(async () => {
    admin = await dashboard.signIn('admin');
    adminId = identityOf(admin);
    knex = knexOf(dashboard);
  });
  after(() => knex?.destroy());

  const call = (path: string, json?: unknown): Promise<Response> =>
    dashboard.call(`/api/security/${path}`, { session: admin, json });
  async function get<T>(path: string): Promise<T> {
    const response = await call(path);
    assert.equal(response.status, 200, path);
    return (await response.json()) as T;
  }
  const identityOf = (session: string): string => sessionIn(session).identityId;
  const statusOf = async (session: string, at: Pick<Dashboard, 'call'> = dashboard): Promise<number> =>
    (await at.call('/api/dashboard/layout', { session })).status;

  describe('/api/security/operators', () => {
    let viewerId: string;
    before(async () => {
      viewerId = identityOf(await dashboard.signIn('viewer'));
    });

    it('lists operators who have signed in, the latest first, with their roles', async () => {
      const { operators, truncated } = await get<OperatorList>('operators');
      const roles = operators.map(({ identity_id, role }) => [identity_id, role]);
      assert.deepEqual(roles, [
        [viewerId, 'viewer'],
        [adminId, 'admin'],
      ]);
      assert.equal(truncated, false);
      for (const { last_login_at } of operators) assert.ok(Date.now() - Date.parse(last_login_at ?? '') < 600_000);
    });

    it('lists people with a role who have never signed in, and the posture counts them', async () => {
      const json = { schema_id: 'operator', traits: { email: 'away@example.test', role: 'admin' } };
      const path = '/api/identity-admin/admin/identities';
      const { id } = (await (await dashboard.call(path, { session: admin, json })).json()) as { id: string };
      const neverSignedIn = { identity_id: id, role: 'admin', last_login_at: null, second_factor: false };
      await until(async () => (await get<OperatorList>('operators')).missing === null);
      assert.deepEqual((await get<OperatorList>('operators')).operators.at(-1), neverSignedIn);
      const { checks } = await get<Posture>('posture');
      const detail = checks.find((check) => check.id === 'second_factor')?.detail;
      assert.equal(detail, 'Administrators without a second factor: 2.');
      await dashboard.call(`${path}/${id}`, { session: admin, method: 'DELETE' });
    });

    it('reports why people who have never signed in are missing, if the index does not contain their roles', () => {
      const url = 'http://store';
      const reasonIn = (auth: object, identityIndex = 'memory') =>
        operatorsIn(
          { withRole: () => assert.fail() },
          {
            auth: { operators: { from: 'identity' }, store: { url }, roleFrom: 'traits.role', roles: [], ...auth },
            ...{ deployment: 'customer', identityIndex },
            upstreams: [{ name: 'identity-admin', url }],
          } as never,
          { latest: async () => [] },
        );
      assert.equal(reasonIn({ store: { url: 'http://other' } }), 'other_store');
      assert.equal(reasonIn({ roleFrom: 'metadata_admin.role' }), 'metadata_admin');
      assert.equal(reasonIn({}, 'off'), 'no_index');
    });

    it('lists no operator by claims whose last role is not enabled any more', async () => {
      const auth = { operators: { from: 'claims' }, roles: ['admin', 'viewer'] };
      const rows = ['support', 'viewer'].map((role) => ({ id: role, role }));
      const found = operatorsIn({} as never, { auth } as never, { latest: async () => rows as never });
      assert.ok(typeof found === 'function');
      assert.deepEqual((await found(10)).value, rows.slice(1));
    });

    it('reports a second factor for TOTP or a registered security key, but not for an empty WebAuthn credential', async () => {
      const credentials = sandboxCredentials(dashboard);
      const factorsWith = async (keys: object[]): Promise<unknown[]> => {
        credentials.set(viewerId, 'webauthn', { credentials: keys, user_handle: 'x' });
        // A restart empties the cache of credentials.
        await dashboard.restart();
        const { operators } = await get<OperatorList>('operators');
        return [adminId, viewerId].map((id) => operators.find(({ identity_id }) => identity_id === id)?.second_factor);
      };
      credentials.set(adminId, 'totp', {});
      assert.deepEqual(await factorsWith([]), [true, false]);
      assert.deepEqual(await factorsWith([{ id: 'key' }]), [true, true]);
      credentials.close();
    });
  });

  describe('/api/security/revocations', () => {
    it('ends every session of one identity at once, and on other replicas within seconds, with a record', async () => {
      const [first, second] = [await dashboard.signIn('viewer'), await dashboard.signIn('viewer')];
      const identity_id = identityOf(first);
      const replica = await startReplica(dashboard);
      try {
        for (const session of [first, second]) assert.equal(await statusOf(session, replica), 200);
        // In any case.
        const response = await call('revocations', { identity_id: identity_id.toUpperCase() });
        assert.deepEqual([response.status, await response.text()], [204, '']);
        for (const session of [first, second]) assert.equal(await statusOf(session), 401);
        await until(async () => (await statusOf(first, replica)) === 401);
        assert.equal(await statusOf(second, replica), 401);
        for (const at of [dashboard, replica]) assert.equal(await statusOf(admin, at), 200);
        assert.equal(await statusOf(await dashboard.signIn('viewer')), 200);
      } finally {
        await replica.close();
      }
      await dashboard.restart();
      for (const session of [first, second]) assert.equal(await statusOf(session), 401);
      const { events } = await get<AuditPage>(`audit?action=session_revoke&subject=identity:${identity_id}`);
      const records = events.map(({ actor, target }) => [actor, target]);
      assert.deepEqual(records, [[adminId, identity_id.toUpperCase()]]);
    });

    it('ends no session if the revocation cannot be recorded', async () => {
      const session = await dashboard.signIn('viewer');
      await knex.schema.renameTable('audit_log', 'elsewhere');
      try {
        const response = await call('revocations', { identity_id: identityOf(session) });
        await assertError(response, 503, 'service_unavailable');
      } finally {
        await knex.schema.renameTable('elsewhere', 'audit_log');
      }
      assert.equal(await statusOf(session), 200);
    });
  });

  describe('/api/security/locked-accounts', () => {
    const unlock = (identifier: unknown): Promise<Response> => call('locked-accounts/unlock', { identifier });
    const row = {
      reason: 'wrong_password',
      attempts: 5,
      trigger_ip: null,
      locked_at: '2026-01-31T09:00:00.000Z',
      locked_until: null,
    };

    it('lists locked accounts, and unlocks them by their identifier in any case', async () => {
      const identifiers = ['ada@example.com', 'ümit'];
      await knex('locked_accounts').insert(identifiers.map((identifier) => ({ ...row, identifier })));
      const { data, total, truncated } = await get<LockedAccountList>('locked-accounts');
      assert.deepEqual(data[0], { id: 'tfyF5VdV-eDQMKEKtEKbay', identifier: 'ada@example.com', ...row });
      assert.deepEqual({ total, truncated }, { total: 2, truncated: false });
      assert.equal((await unlock(' ÜMIT ')).status, 200);
      assert.deepEqual(await (await unlock('ada@example.com')).json(), { success: true });
      assert.deepEqual(await get<LockedAccountList>('locked-accounts'), { data: [], total: 0, truncated: false });
      const { message } = await assertError(await unlock('ada@example.com'), 404, 'not_found');
      assert.equal(message, 'This account is not locked.');
    });

    it('responds 400 to an invalid identifier, and to more than twenty identifiers', async () => {
      for (const query of ['%0A', 'x'.repeat(256), '%20', Array(21).fill('a').join('&identifier=')])
        await assertError(await call(`locked-accounts?identifier=${query}`), 400, 'bad_request');
      for (const identifier of [undefined, 1, '  ', 'x'.repeat(256), 'a\u0000b', '\ud800', ['a']])
        await assertError(await unlock(identifier), 400, 'bad_request');
    });
  });
});
