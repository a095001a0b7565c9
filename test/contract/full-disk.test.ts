import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { openDatabase } from '../../server/db/open-database.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { skipWithoutOwnMariadb, startMariadb } from '../support/databases.ts';
import { signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { assertError } from '../support/settings-app.ts';
import { describeWithSmallDisk, type SmallDisk, smallDisk } from '../support/small-disk.ts';

/** How far the monotonic clock of the service is ahead, in milliseconds. */
let elapsed = 0;

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(50);
}

const VALUE = 'v'.repeat(500);

/** Writes settings with this value until one is refused. @returns the keys of those stored, and of the refused one */
async function writeUntilFull(
  dashboard: Dashboard,
  session: string,
  name: string,
  value: string,
): Promise<{ stored: string[]; refused: string }> {
  const stored: string[] = [];
  for (let index = 0; index < 2_000; index += 1) {
    const key = `${name}.${index}`;
    const response = await dashboard.call('/api/settings', { session, json: { key, value } });
    if (response.status !== 201) {
      await assertError(response, 503, 'service_unavailable');
      return { stored, refused: key };
    }
    stored.push(key);
  }
  throw new Error('the disk is never full');
}

const statusOf = async (dashboard: Dashboard, path: string, session?: string): Promise<number> =>
  (await dashboard.call(path, session === undefined ? {} : { session })).status;

/** Asserts that health reports the problem, and that reads still succeed. */
async function assertReadable(dashboard: Dashboard, session: string): Promise<void> {
  // Health is cached for a second.
  await until(async () => (await statusOf(dashboard, '/api/health')) === 503);
  for (const path of ['/api/auth/session', '/api/settings/before', '/api/settings', '/api/security/audit'])
    assert.equal(await statusOf(dashboard, path, session), 200, path);
}

/** Asserts that the service recovers without a restart. */
async function assertRecovered(
  dashboard: Dashboard,
  session: string,
  written: { stored: string[]; refused: string[] },
): Promise<void> {
  await until(async () => (await dashboard.call('/api/settings', { session, json: { key: 'after', value: 'v' } })).ok);
  elapsed += 11_000;
  await until(async () => (await statusOf(dashboard, '/api/health')) === 200);
  for (const key of ['before', ...written.stored])
    assert.equal(await statusOf(dashboard, `/api/settings/${key}`, session), 200, key);
  for (const key of written.refused) assert.equal(await statusOf(dashboard, `/api/settings/${key}`, session), 404, key);
  await until(async () => {
    const { status } = (await (await dashboard.call('/api/security/audit/chain', { session })).json()) as {
      status: string;
    };
    assert.notEqual(status, 'broken');
    return status === 'whole';
  });
}

describeWithSmallDisk('a service whose disk fills up', () => {
  let cleanUp: (() => Promise<void>)[] = [];
  beforeEach(() => {
    elapsed = 0;
  });
  afterEach(async () => {
    for (const step of cleanUp.reverse()) await step();
    cleanUp = [];
  });

  async function diskOf(mebibytes: number): Promise<SmallDisk> {
    const disk = await smallDisk(mebibytes);
    cleanUp.push(disk.close);
    return disk;
  }
  async function dashboardOn(url: string): Promise<Dashboard> {
    const env = { DATABASE_URL: url };
    const dashboard = await startDashboard({ env, monotonic: () => performance.now() + elapsed });
    cleanUp.push(dashboard.close);
    return dashboard;
  }

  it('stores no part of refused writes, still serves reads and sessions, and recovers once there is space (SQLite)', async () => {
    const disk = await diskOf(2);
    const file = join(disk.path, 'data', 'test.sqlite');
    const dashboard = await dashboardOn(`sqlite:${file}`);
    const [session, leaving] = [await dashboard.signIn('admin'), await dashboard.signIn('viewer')];
    await dashboard.call('/api/settings', { session, json: { key: 'before', value: 'v' } });

    disk.fill();
    // Large and then small writes also fill the free space within the files of the database.
    const large = await writeUntilFull(dashboard, session, 'large', VALUE.repeat(100));
    const small = await writeUntilFull(dashboard, session, 'small', 'v');
    await assertReadable(dashboard, session);

    const signOut = await dashboard.call('/api/auth/logout', { session: leaving, method: 'POST' });
    await assertError(signOut, 503, 'service_unavailable');
    assert.equal(await statusOf(dashboard, '/api/auth/session', leaving), 401);
    const { callback, jar } = await signInUpToCallback(dashboard.url, dashboard.baseUrl, dashboard.operator('viewer'));
    await visit(callback, jar);
    assert.equal(jar.get('dashboard-session'), undefined, 'a session whose sign-in cannot be recorded');

    await disk.free();
    await assertRecovered(dashboard, session, {
      stored: [...large.stored, ...small.stored],
      refused: [large.refused, small.refused],
    });
    const database = openDatabase(parseDatabaseUrl(`sqlite:${file}`), { warn: () => {} });
    cleanUp.push(() => database.close());
    await until(async () => (await database.knex('revoked_sessions').select('session_id')).length === 1);
    assert.equal((await database.knex('audit_log').where({ action: 'logout' }).select('sequence')).length, 1);
    assert.equal(await statusOf(dashboard, '/api/auth/session', leaving), 401);
    await dashboard.signIn('viewer');
  });

  it('stores no part of refused writes, still serves reads and sessions, and recovers once there is space (MariaDB)', async function () {
    skipWithoutOwnMariadb(this);
    const disk = await diskOf(96);
    const server = await startMariadb({ data: join(disk.path, 'data'), args: ['--innodb-log-file-size=8M'] });
    cleanUp.push(server.close);
    const dashboard = await dashboardOn(await server.createDatabase());
    const session = await dashboard.signIn('admin');
    await dashboard.call('/api/settings', { session, json: { key: 'before', value: 'v' } });
    assert.equal(await statusOf(dashboard, '/api/health'), 200);

    disk.fill();
    // Smaller writes may still succeed.
    const { stored, refused } = await writeUntilFull(dashboard, session, 'medium', VALUE);
    await assertReadable(dashboard, session);
    const leaving = await dashboard.signIn('viewer').catch(() => undefined);
    if (leaving !== undefined) {
      const signOut = await dashboard.call('/api/auth/logout', { session: leaving, method: 'POST' });
      assert.ok([204, 503].includes(signOut.status));
      assert.equal(await statusOf(dashboard, '/api/auth/session', leaving), 401);
    }

    await disk.free();
    await assertRecovered(dashboard, session, { stored, refused: [refused] });
  });
});
