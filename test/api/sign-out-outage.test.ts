import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { signOuts } from '../../server/features/auth/sign-outs.ts';
import type { Session } from '../../server/session/session-token.ts';
import { silentLog } from '../support/context.ts';
import { type Dashboard, type Replica, startDashboard, startReplica } from '../support/dashboard.ts';
import { describeOnDatabases, lockSqlite, type TestDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import { sessionIn } from '../support/http-sign-in.ts';
import { severable } from '../support/severable.ts';

type Outage = Awaited<ReturnType<typeof outageOf>>;

/** On SQLite, another connection locks the database; on MySQL, the connection to the server is cut. */
async function outageOf(url: string, databases: TestDatabases) {
  if (databases.client === 'mysql') {
    const connection = await severable(url);
    let isSevered = false;
    const sever = async (to: boolean): Promise<void> => {
      if (isSevered !== to) await (to ? connection.sever() : connection.restore());
      isSevered = to;
    };
    return { url: connection.url, begin: () => sever(true), end: () => sever(false), close: connection.close };
  }
  const other = databases.open(url);
  let end = async (): Promise<void> => {};
  const begin = async (): Promise<void> => {
    end = await lockSqlite(other);
  };
  return { url, begin, end: () => end(), close: () => end() };
}

describeOnDatabases(
  'a sign-out during an outage of the database',
  (databases) => {
    const hasEnded = async (at: Dashboard | Replica, session: string): Promise<boolean> =>
      (await at.call('/api/auth/session', { session })).status === 401;

    /** Starts a dashboard whose database can become unavailable, with direct access to that database. */
    async function withOutage(
      test: (dashboard: Dashboard, outage: Outage, direct: { url: string; database: Database }) => Promise<void>,
    ): Promise<void> {
      const direct = await databases.createMigrated();
      const outage = await outageOf(direct.url, databases);
      const dashboard = await startDashboard({ env: { DATABASE_URL: outage.url } });
      try {
        await test(dashboard, outage, direct);
      } finally {
        await outage.end();
        await dashboard.close();
        await outage.close();
      }
    }

    it('ends the session on its replica at once, responds 503, and is stored with its record afterwards', () =>
      withOutage(async (dashboard, outage, { url, database }) => {
        // Connects to the database directly, and so during the outage, too.
        const replica = await startReplica({ ...dashboard, env: { ...dashboard.env, DATABASE_URL: url } });
        try {
          const [session, other] = [await dashboard.signIn('admin'), await dashboard.signIn('admin')];
          await outage.begin();
          const response = await dashboard.call('/api/auth/logout', { session, method: 'POST' });
          assert.equal(response.status, 503);
          assert.equal(((await response.json()) as { error: string }).error, 'service_unavailable');
          assert.match(response.headers.getSetCookie().join(), /dashboard-session=;[^,]*Expires=Thu, 01 Jan 1970/);
          assert.equal(await hasEnded(dashboard, session), true);
          assert.equal(await hasEnded(dashboard, other), false);
          assert.equal((await dashboard.call('/api/auth/logout', { method: 'POST' })).status, 204);
          assert.equal(await hasEnded(replica, session), false);
          const endOfOutage = new Date().toISOString();
          await outage.end();
          await until(() => hasEnded(replica, session));
          assert.equal(await hasEnded(replica, other), false);
          const [row, ...others] = await database.knex('audit_log').where({ action: 'logout' }).select('record');
          const { target, timestamp } = JSON.parse(row.record);
          assert.deepEqual([target, others], [sessionIn(session).sessionId, []]);
          assert.ok(timestamp <= endOfOutage);
        } finally {
          await outage.end();
          await replica.close();
        }
      }));

    it('is stored before the process ends, if the database is available again by then', () =>
      withOutage(async (dashboard, outage, { database }) => {
        const session = await dashboard.signIn('admin');
        await outage.begin();
        assert.equal((await dashboard.call('/api/auth/logout', { session, method: 'POST' })).status, 503);
        await outage.end();
        await dashboard.restart();
        assert.equal(await hasEnded(dashboard, session), true);
        assert.equal((await database.knex('audit_log').where({ action: 'logout' })).length, 1);
      }));
  },
  { server: true },
);

describe('a sign-out', () => {
  it('leaves one record if it is requested many times at once', async () => {
    const records: unknown[] = [];
    const { end } = signOuts({
      revocations: { revokeSession: async (_sessionId, _expiresAt, first) => first?.({} as never) },
      audit: { record: async (event) => void records.push(event) },
      log: silentLog,
      now: Date.now,
    });
    const session = { sessionId: 'a', identityId: 'ada', expiresAt: 1 } as Session;
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: 20 }, () => end(session)))), new Set([true]));
    assert.equal(records.length, 1);
  });
});
