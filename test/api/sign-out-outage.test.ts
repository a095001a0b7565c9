import assert from 'node:assert/strict';
import { signOuts } from '../../server/features/auth/sign-outs.ts';
import type { Session } from '../../server/session/session-token.ts';
import { silentLog } from '../support/context.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import { type Replica, replicaOf } from '../support/replica.ts';
import { severable } from '../support/severable.ts';

describeOnDatabases(
  'a sign-out while nothing can be stored',
  (databases) => {
    /** On SQLite another process locks the database, on MySQL the connection to the server is cut. */
    async function outageOf(
      url: string,
    ): Promise<{ url: string; begin(): Promise<void>; end(): Promise<void>; close(): Promise<void> }> {
      if (databases.client === 'mysql') {
        const way = await severable(url);
        let severed = false;
        const turn = async (to: boolean): Promise<void> => {
          if (severed !== to) await (to ? way.sever() : way.restore());
          severed = to;
        };
        return { url: way.url, begin: () => turn(true), end: () => turn(false), close: way.close };
      }
      const other = databases.open(url);
      let release = (): void => {};
      let held = Promise.resolve();
      const end = (): Promise<void> => {
        release();
        return held;
      };
      const begin = (): Promise<void> =>
        new Promise((begun) => {
          held = other.transaction(async () => {
            begun();
            await new Promise<void>((resolve) => {
              release = resolve;
            });
          });
        });
      return { url, begin, end, close: end };
    }

    const isOver = async (at: Dashboard | Replica, session: string): Promise<boolean> =>
      (await at.call('/api/auth/session', { session })).status === 401;
    const sessionIdOf = (session: string): string =>
      JSON.parse(Buffer.from(session.split('.')[0] ?? '', 'base64url').toString()).sessionId;

    it('ends the session here at once, says that it is not stored, and stores it later with its record', async () => {
      const { url, database } = await databases.migrated();
      const outage = await outageOf(url);
      const dashboard = await startDashboard({ env: { DATABASE_URL: outage.url } });
      // Its database stays available throughout.
      const replica = await replicaOf({ ...dashboard, env: { ...dashboard.env, DATABASE_URL: url } });
      try {
        const [session, kept] = [await dashboard.signIn('admin'), await dashboard.signIn('admin')];
        await outage.begin();
        const done = await dashboard.call('/api/auth/logout', { session, method: 'POST' });
        assert.equal(done.status, 503);
        assert.equal(((await done.json()) as { error: string }).error, 'service_unavailable');
        assert.match(done.headers.getSetCookie().join(), /dashboard-session=;[^,]*Expires=Thu, 01 Jan 1970/);
        assert.equal(await isOver(dashboard, session), true);
        assert.equal(await isOver(dashboard, kept), false);
        assert.equal((await dashboard.call('/api/auth/logout', { method: 'POST' })).status, 204);
        assert.equal(await isOver(replica, session), false);
        const ending = new Date().toISOString();
        await outage.end();
        await until(() => isOver(replica, session));
        assert.equal(await isOver(replica, kept), false);
        const [row, ...others] = await database.knex('audit_log').where({ action: 'logout' }).select('record');
        const { target, timestamp } = JSON.parse(row.record);
        assert.deepEqual([target, others], [sessionIdOf(session), []]);
        assert.ok(timestamp <= ending);
      } finally {
        await outage.end();
        await replica.close();
        await dashboard.close();
        await outage.close();
      }
    });

    it('is stored before the process ends, when the database comes back by then', async () => {
      const { url, database } = await databases.migrated();
      const outage = await outageOf(url);
      const dashboard = await startDashboard({ env: { DATABASE_URL: outage.url } });
      try {
        const session = await dashboard.signIn('admin');
        await outage.begin();
        assert.equal((await dashboard.call('/api/auth/logout', { session, method: 'POST' })).status, 503);
        await outage.end();
        await dashboard.restart();
        assert.equal(await isOver(dashboard, session), true);
        assert.equal((await database.knex('audit_log').where({ action: 'logout' })).length, 1);
      } finally {
        await outage.end();
        await dashboard.close();
        await outage.close();
      }
    });
  },
  { server: true },
);

describe('a sign-out that is requested many times at once', () => {
  it('leaves one record', async () => {
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
