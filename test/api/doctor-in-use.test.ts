import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import type { Diagnosis } from '../../server/doctor/diagnose.ts';
import { diagnose } from '../../server/doctor/diagnose.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import {
  checkIn,
  type ExaminedPlatform,
  examined,
  examinedPlatform,
  PLATFORM_KEY,
} from '../support/examined-platform.ts';
import { fillFrom } from '../support/kept-databases.ts';
import { silentLog } from '../support/silent-log.ts';

const NOWHERE = 'http://127.0.0.1:9';
const KEYS = { apiKeys: { identityAdmin: PLATFORM_KEY } };

describe('the doctor beside a dashboard in use', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard({ sandbox: KEYS, env: { AUTH_IDENTITY_ADMIN_KEY: PLATFORM_KEY } });
    await dashboard.signIn('admin');
  });
  after(() => dashboard.close());
  const administrators = async (changed: NodeJS.ProcessEnv = {}) => {
    const found = await examined({ ...dashboard.env, ...changed });
    return { ...checkIn(found, 'administrators'), exitCode: found.exitCode };
  };

  it('does not take a sign-in of the past for an administrator of today', async () => {
    assert.equal((await administrators()).status, 'pass');
    const MISTAKES: NodeJS.ProcessEnv[] = [{ AUTH_IDENTITY_ADMIN_URL: NOWHERE }, { OPERATOR_SCHEMA_IDS: 'customer' }];
    for (const mistake of MISTAKES) {
      const { status, locksOut, exitCode } = await administrators(mistake);
      assert.deepEqual({ status, locksOut, exitCode }, { status: 'fail', locksOut: true, exitCode: 1 });
    }
  });

  describe('from the outside', () => {
    const outside = (from: string, env: NodeJS.ProcessEnv): Promise<Diagnosis> =>
      diagnose(env, { connects: true, from, log: silentLog, now: Date.now });

    it('finds the admin APIs closed where the dashboard demands a session', async () => {
      await dashboard.restart({ PROXY_REQUIRE_SESSION: 'true' });
      const found = await outside(dashboard.url, dashboard.env);
      for (const id of ['outside_address', 'outside_admin_proxies', 'outside_metrics'])
        assert.equal(checkIn(found, id)?.status, 'pass', id);
    });

    it('finds them open, whatever becomes of the request behind the gate', async () => {
      const BEHIND: NodeJS.ProcessEnv[] = [
        {},
        // The service demands a key that is not stored, responds with an error, or is away.
        { IDENTITY_ADMIN_URL: dashboard.env.IDENTITY_ADMIN_URL, OAUTH_ADMIN_URL: NOWHERE },
      ];
      for (const behind of BEHIND) {
        await dashboard.restart({ PROXY_REQUIRE_SESSION: 'false', ...behind });
        const found = await outside(dashboard.url, { ...dashboard.env, ...behind });
        const check = checkIn(found, 'outside_admin_proxies');
        assert.equal(check?.status, 'fail', check?.detail);
        for (const prefix of ['/api/identity-admin', '/api/oauth-admin'])
          assert.ok(check?.detail.includes(prefix), `${prefix}: ${check?.detail}`);
      }
    });
  });
});

describeOnDatabases('the doctor on a database that it did not make', (databases) => {
  let platform: ExaminedPlatform;
  before(async () => {
    platform = await examinedPlatform();
  });
  after(() => platform.close());

  it('tells a database that a start takes over from one that is too old', async () => {
    const url = await databases.create();
    const former = databases.open(url);
    await fillFrom('before-0.1.0', former);
    assert.equal(checkIn(await examined(platform.env(url)), 'migrations')?.status, 'warn');
    await former.knex('knex_migrations').where('name', 'like', '010%').delete();
    const tooOld = checkIn(await examined(platform.env(url)), 'migrations');
    assert.equal(tooOld?.locksOut, true);
    assert.match(tooOld?.detail ?? '', /too old/);
  });
});

describe('the doctor on a file of SQLite', () => {
  it('leaves one that was restored byte for byte as it is', async () => {
    const platform = await examinedPlatform();
    const path = join(platform.sandbox.directory, 'restored.sqlite');
    try {
      const url = `sqlite:${path}`;
      const database = openDatabase(parseDatabaseUrl(url), silentLog);
      await migrate(database, silentLog);
      await database.close();
      // As a backup leaves it.
      const file = new Sqlite(path);
      file.pragma('journal_mode = DELETE');
      file.close();
      const before = [readFileSync(path), readdirSync(dirname(path))];
      const found = await examined(platform.env(url));
      for (const id of ['database', 'database_session', 'migrations'])
        assert.equal(checkIn(found, id)?.status, 'pass', id);
      assert.deepEqual([readFileSync(path), readdirSync(dirname(path))], before);
    } finally {
      await platform.close();
    }
  });
});
