import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { healthHandler } from '../../server/features/health.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { type GateApp, gateDeps, startGateApp } from '../support/gate-app.ts';

/** Ages what is remembered of the database twenty times as fast. */
const monotonic = (): number => performance.now() * 20;

async function healthBecomes(status: number, dashboard: Dashboard): Promise<void> {
  await eventually(async () => (await dashboard.call('/api/health')).status, status);
}

describe('health of a service that shuts down without its database', () => {
  let app: GateApp;
  let pings = 0;

  before(async () => {
    const ping = async () => {
      pings += 1;
      throw new Error('away');
    };
    const health = healthHandler({ version: '1.2.3', ping, isDraining: () => true, now: () => performance.now() });
    const [, { publicRoutes }] = gateDeps({});
    app = await startGateApp({ publicRoutes: { ...publicRoutes, health } });
  });
  after(() => app.close());

  it('is that of a live process, and takes no look at the database for it', async () => {
    const response = await app.call('/api/health?probe=live');
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: 'ok', version: '1.2.3' });
    assert.equal(pings, 0);
  });

  it('fails for whoever does not name the probe, and is refused with another', async () => {
    assert.equal((await app.call('/api/health')).status, 503);
    assert.equal((await app.call('/api/health?probe=ready')).status, 503, 'it shuts down');
    for (const query of ['probe=', 'probe=other', 'probe=live&probe=live'])
      assert.equal((await app.call(`/api/health?${query}`)).status, 400, query);
  });
});

describeOnDatabases('health', (databases) => {
  if (databases.client === 'mysql')
    it('fails while the server is read-only, and is well again afterwards', async () => {
      const { url, database } = await databases.migrated();
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
        await healthBecomes(200, dashboard);
        await database.knex.raw('set global read_only = 1');
        const refused = await dashboard.call('/api/settings', { session, json: { key: 'a', value: 'b' } });
        assert.equal(refused.status, 503);
        await healthBecomes(503, dashboard);
        await database.knex.raw('set global read_only = 0');
        await healthBecomes(200, dashboard);
      } finally {
        await database.knex.raw('set global read_only = 0');
        await dashboard.close();
        await database.knex.raw(`drop user ${user}@localhost`);
      }
    });

  if (databases.client === 'sqlite')
    it('fails once the file is removed, and nothing is acknowledged that is not kept', async () => {
      const url = await databases.create();
      const dashboard = await startDashboard({ env: { DATABASE_URL: url }, monotonic });
      try {
        const session = await dashboard.signIn('admin');
        const write = async (key: string): Promise<number> =>
          (await dashboard.call('/api/settings', { session, json: { key, value: 'v' } })).status;
        assert.equal(await write('kept'), 201);
        await healthBecomes(200, dashboard);
        await rm(url.slice('sqlite:'.length));
        assert.equal(await write('lost'), 503);
        await healthBecomes(503, dashboard);
        assert.equal((await dashboard.call('/api/health?probe=live')).status, 200);
        const said = (text: string): boolean => dashboard.logged.some((line) => line.includes(text));
        assert.ok(said('the database file was removed or replaced'));
        assert.equal(said('"target":"lost"'), false, 'the log tells of an act that did not happen');
      } finally {
        await dashboard.close();
      }
    });
});
