import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import createKnex from 'knex';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { knexOptions } from '../../server/db/knex.ts';
import { operatorsIn } from '../../server/features/security/operators.ts';
import type { AuditPage } from '../../shared/audit.ts';
import type { LockedAccountList, OperatorList, Posture } from '../../shared/security.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { until } from '../support/eventually.ts';
import { sandboxCredentials } from '../support/posture.ts';
import { replicaOf } from '../support/replica.ts';
import { assertError } from '../support/settings-app.ts';

describe('the routes below /api/security', () => {
  let dashboard: Dashboard;
  let knex: Knex;
  let admin: string;
  let adminId: string;

  before(async () => {
    dashboard = await startDashboard();
    admin = await dashboard.signIn('admin');
    adminId = await identityOf(admin);
    knex = createKnex(knexOptions(parseDatabaseUrl(dashboard.env.DATABASE_URL ?? ''), { warn: () => {} }));
  });
  after(async () => {
    await knex?.destroy();
    await dashboard?.close();
  });

  const call = (path: string, options: Parameters<Dashboard['call']>[1] = {}): Promise<Response> =>
    dashboard.call(`/api/security/${path}`, { session: admin, ...options });
  async function json<T>(path: string): Promise<T> {
    const response = await call(path);
    assert.equal(response.status, 200, path);
    return (await response.json()) as T;
  }
  async function identityOf(session: string): Promise<string> {
    const response = await dashboard.call('/api/auth/session', { session });
    return ((await response.json()) as { user: { identityId: string } }).user.identityId;
  }
  const statusOf = async (session: string): Promise<number> =>
    (await dashboard.call('/api/dashboard/layout', { session })).status;

  describe('operators', () => {
    const factors = async (): Promise<(boolean | null | undefined)[]> => {
      const { operators } = await json<OperatorList>('operators');
      return [adminId, await identityOf(viewer)].map(
        (id) => operators.find(({ identity_id }) => identity_id === id)?.second_factor,
      );
    };
    let viewer: string;
    before(async () => {
      viewer = await dashboard.signIn('viewer');
    });

    it('are those who signed in, with their roles, the latest first', async () => {
      const { operators, truncated } = await json<OperatorList>('operators');
      assert.deepEqual(
        operators.map(({ identity_id, role }) => [identity_id, role]),
        [
          [await identityOf(viewer), 'viewer'],
          [adminId, 'admin'],
        ],
      );
      assert.equal(truncated, false);
      for (const { last_login_at } of operators) assert.ok(Date.now() - Date.parse(last_login_at ?? '') < 600_000);
    });

    it('are also those with a role who have not signed in, whom the posture counts too', async () => {
      const person = { schema_id: 'operator', traits: { email: 'away@example.test', role: 'admin' } };
      const path = '/api/identity-admin/admin/identities';
      const created = await dashboard.call(path, { session: admin, method: 'POST', json: person });
      const { id } = (await created.json()) as { id: string };
      const away = { identity_id: id, role: 'admin', last_login_at: null, second_factor: false };
      await until(async () => (await json<OperatorList>('operators')).missing === null);
      assert.deepEqual((await json<OperatorList>('operators')).operators.at(-1), away);
      const { checks } = await json<Posture>('posture');
      const said = checks.find((check) => check.id === 'second_factor')?.detail;
      assert.equal(said, 'Administrators without a second factor: 2.');
      await dashboard.call(`${path}/${id}`, { session: admin, method: 'DELETE' });
    });

    it('cannot be known where the index holds none of their roles, which is said', () => {
      const url = 'http://store';
      const reasonIn = (auth: object, identityIndex = 'memory') =>
        operatorsIn({ withRole: assert.fail }, {
          ...{ auth: { store: { url }, roleFrom: 'traits.role', ...auth }, deployment: 'customer', identityIndex },
          upstreams: [{ name: 'identity-admin', url }],
        } as never);
      assert.equal(reasonIn({ store: { url: 'http://other' } }), 'other_store');
      assert.equal(reasonIn({ roleFrom: 'metadata_admin.role' }), 'metadata_admin');
      assert.equal(reasonIn({}, 'off'), 'no_index');
    });

    it('have a second factor that is read in the service: totp, or a registered security key', async () => {
      const own = sandboxCredentials(dashboard);
      own.set(adminId, 'totp', {});
      own.set(await identityOf(viewer), 'webauthn', { credentials: [], user_handle: 'x' });
      await dashboard.restart();
      assert.deepEqual(await factors(), [true, false]);
      own.set(await identityOf(viewer), 'webauthn', { credentials: [{ id: 'key' }], user_handle: 'x' });
      await dashboard.restart();
      assert.deepEqual(await factors(), [true, true]);
      own.close();
    });
  });

  describe('revocations', () => {
    it('end every session of an identity here at once, elsewhere within seconds, and of nobody else', async () => {
      const sessions = [await dashboard.signIn('viewer'), await dashboard.signIn('viewer')];
      const identity_id = await identityOf(sessions[0] ?? '');
      const replica = await replicaOf(dashboard);
      try {
        const there = async (session: string): Promise<number> =>
          (await replica.call('/api/dashboard/layout', { session })).status;
        for (const session of sessions) assert.equal(await there(session), 200);
        const response = await call('revocations', { json: { identity_id } });
        assert.equal(response.status, 204);
        assert.equal(await response.text(), '');
        for (const session of sessions) assert.equal(await statusOf(session), 401);
        await until(async () => (await there(sessions[0] ?? '')) === 401);
        assert.equal(await there(sessions[1] ?? ''), 401);
        assert.equal(await statusOf(admin), 200);
        assert.equal(await there(admin), 200);
        assert.equal(await statusOf(await dashboard.signIn('viewer')), 200);
      } finally {
        await replica.close();
      }
      await dashboard.restart();
      for (const session of sessions) assert.equal(await statusOf(session), 401);
      const { events } = await json<AuditPage>(`audit?action=session_revoke&subject=identity:${identity_id}`);
      assert.deepEqual(
        events.map(({ actor, target }) => [actor, target]),
        [[adminId, identity_id]],
      );
    });

    it('end the sessions of an identity in either spelling of its id', async () => {
      const session = await dashboard.signIn('viewer');
      const identity_id = (await identityOf(session)).toUpperCase();
      assert.equal((await call('revocations', { json: { identity_id } })).status, 204);
      assert.equal(await statusOf(session), 401);
    });

    it('end nothing that they cannot record', async () => {
      const session = await dashboard.signIn('viewer');
      await knex.schema.renameTable('audit_log', 'elsewhere');
      try {
        const response = await call('revocations', { json: { identity_id: await identityOf(session) } });
        await assertError(response, 503, 'service_unavailable');
      } finally {
        await knex.schema.renameTable('elsewhere', 'audit_log');
      }
      assert.equal(await statusOf(session), 200);
    });
  });

  describe('locked accounts', () => {
    const unlock = (identifier: unknown, session = admin): Promise<Response> =>
      call('locked-accounts/unlock', { json: { identifier }, session });
    const row = {
      reason: 'wrong_password',
      attempts: 5,
      trigger_ip: null,
      locked_at: '2026-01-31T09:00:00.000Z',
      locked_until: null,
    };

    it('are listed and unlocked by what somebody signs in with, whatever its case', async () => {
      await knex('locked_accounts').insert([
        { ...row, identifier: 'ada@example.com' },
        { ...row, identifier: 'ümit' },
      ]);
      const { data, total, truncated } = await json<LockedAccountList>('locked-accounts');
      assert.deepEqual(data[0], { id: 'tfyF5VdV-eDQMKEKtEKbay', identifier: 'ada@example.com', ...row });
      assert.deepEqual({ total, truncated }, { total: 2, truncated: false });
      assert.equal((await unlock(' ÜMIT ')).status, 200);
      assert.deepEqual(await (await unlock('ada@example.com')).json(), { success: true });
      assert.deepEqual(await json<LockedAccountList>('locked-accounts'), { data: [], total: 0, truncated: false });
      assert.deepEqual(await assertError(await unlock('ada@example.com'), 404, 'not_found'), {
        error: 'not_found',
        message: 'This account is not locked.',
      });
    });

    it('are refused for what cannot be an identifier, and for too many of them', async () => {
      for (const query of ['%0A', 'x'.repeat(256), '%20', Array(21).fill('a').join('&identifier=')])
        await assertError(await call(`locked-accounts?identifier=${query}`), 400, 'bad_request');
      for (const identifier of [undefined, 1, '  ', 'x'.repeat(256), 'a\u0000b', '\ud800', ['a']])
        await assertError(await unlock(identifier), 400, 'bad_request');
    });
  });
});
