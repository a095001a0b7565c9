import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { healthHandler } from '../../server/features/health.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { gateDeps, startGateApp } from '../support/gate-app.ts';
import { ofSuite } from '../support/of-suite.ts';

/** This clock runs fast, so that the cached state of the database expires soon. */
const monotonic = (): number => performance.now() * 20;

async function waitForHealth(status: number, dashboard: Dashboard): Promise<void> {
  await eventually(async () => (await dashboard.call('/api/health')).status, status);
}

describe('GET /api/health during a shutdown while the database is unavailable', () => {
  let pings = 0;
  const ping = async () => {
    pings += 1;
    throw new Error('unavailable');
  };
  const health = healthHandler({ version: '1.2.3', ping, isDraining: () => true, now: () => performance.now() });
  const [, { publicRoutes }] = gateDeps({});
  const app = ofSuite(() => startGateApp({ publicRoutes: { ...publicRoutes, health } }));

  it('responds 200 to probe=live without querying the database', async () => {
    const response = await app.call('/api/health?probe=live');
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: 'ok', version: '1.2.3' });
    assert.equal(pings, 0);
  });

  it('responds 503 to probe=ready and without a probe, and 400 to an unknown probe', async () => {
    assert.equal((await app.call('/api/health')).status, 503);
    assert.equal((await app.call('/api/health?probe=ready')).status, 503);
    for (const query of ['probe=', 'probe=other', 'probe=live&probe=live'])
      assert.equal((await app.call(`/api/health?${query}`)).status, 400, query);
  });
});

describeOnDatabases('GET /api/health', (databases) => {
  if (databases.client === 'mysql')
    it('responds 503 while the database server is read-only, and 200 afterwards', async () => {
      const { url, database } = await databases.createMigrated();
      // Read-only mode does not apply to administrators.
      const name = new URL(url).pathname.slice(1);
      const user = `writer_${name.slice(-8)}`;
      await database.knex.raw(`create user ${user}@localhost`);
      await database.knex.raw(`grant all on ${name}.* to ${user}@localhost`);
      const own = new URL(url);
      own.username = user;
      own.password = '';
      const dashboard = await startDashboard({ env: { DATABASE_URL: own.href }, monotonic });
      try {
        const session = await dashboard.signIn('admin');
        await waitForHealth(200, dashboard);
        await database.knex.raw('set global read_only = 1');
        assert.equal((await dashboard.call('/api/settings', { session, json: { key: 'a', value: 'b' } })).status, 503);
        await waitForHealth(503, dashboard);
        await database.knex.raw('set global read_only = 0');
        await waitForHealth(200, dashboard);
      } finally {
        await database.knex.raw('set global read_only = 0');
        await dashboard.close();
        await database.knex.raw(`drop user ${user}@localhost`);
      }
    });

  if (databases.client === 'sqlite')
    it('responds 503 once the database file is removed, and so does a write, which leaves no audit record', async () => {
      const url = await databases.create();
      const dashboard = await startDashboard({ env: { DATABASE_URL: url }, monotonic });
      try {
        const session = await dashboard.signIn('admin');
        const write = async (key: string): Promise<number> =>
          (await dashboard.call('/api/settings', { session, json: { key, value: 'v' } })).status;
        assert.equal(await write('stored'), 201);
        await waitForHealth(200, dashboard);
        await rm(url.slice('sqlite:'.length));
        assert.equal(await write('lost'), 503);
        await waitForHealth(503, dashboard);
        assert.equal((await dashboard.call('/api/health?probe=live')).status, 200);
        const isLogged = (text: string): boolean => dashboard.logged.some((line) => line.includes(text));
        assert.ok(isLogged('the database file was removed or replaced'));
        assert.equal(isLogged('"target":"lost"'), false);
      } finally {
        await dashboard.close();
      }
    });
});
