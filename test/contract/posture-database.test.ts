import assert from 'node:assert/strict';
import type { CheckSources, Checks } from '../../server/checks/check.ts';
import { signInLogCheck } from '../../server/checks/sign-in-log.ts';
import { storageChecks } from '../../server/checks/storage.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { SYSTEM_CLOCK } from '../../server/context.ts';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import type { PostureId, PostureStatus } from '../../shared/security.ts';
import { TEST_KEYS } from '../support/context.ts';
import { describeOnDatabases } from '../support/databases.ts';

describeOnDatabases(
  'the posture checks of the database',
  (databases) => {
    async function statusOf(id: PostureId, database: Database, url = 'sqlite:unused'): Promise<PostureStatus> {
      const config = { database: parseDatabaseUrl(url), migrations: 'run' };
      const checks: Checks = storageChecks({ config, database, started: true } as CheckSources);
      return (await checks[id]?.look())?.status ?? assert.fail(`no check named ${id}`);
    }

    /** Changes the only connection of the pool. */
    const CHANGES = {
      sqlite: ['pragma synchronous = OFF'],
      mysql: [
        "set session sql_mode = ''",
        'set session wait_timeout = 28800',
        'set session sql_buffer_result = 1',
        'set session character_set_client = latin1',
        'set session character_set_connection = latin1',
        'set session character_set_results = latin1',
        'set session innodb_lock_wait_timeout = 50',
        'set session transaction isolation level repeatable read',
      ],
    };
    it('fail if a connection has a setting other than the one that the service sets', async () => {
      const { url } = await databases.createMigrated();
      for (const sql of CHANGES[databases.client]) {
        const database = databases.open(url);
        // The tests' server does not flush its log on COMMIT, which is reported.
        assert.equal(await statusOf('database_session', database), databases.client === 'sqlite' ? 'pass' : 'warn');
        await database.knex.raw(sql);
        assert.equal(await statusOf('database_session', database), 'fail', sql);
      }
    });

    it('fail if a migration of this release is missing or one of a later release has run', async () => {
      const { database } = await databases.createMigrated();
      const migrations = () => database.knex('knex_migrations');
      const later = { name: '999-of-a-later-release', batch: 9, migration_time: new Date() };
      assert.equal(await statusOf('migrations', database), 'pass');
      await migrations().insert(later);
      assert.equal(await statusOf('migrations', database), 'fail');
      await migrations().where({ name: later.name }).delete();
      await migrations().where('name', 'like', '005%').delete();
      assert.equal(await statusOf('migrations', database), 'fail');
    });

    it('warn of a sign-in log to which Kratos or Hydra reports nothing', async () => {
      const { database } = await databases.createMigrated();
      const clock = { ...SYSTEM_CLOCK, now: () => Date.parse('2026-11-24T12:00:00Z') };
      const [recent, old] = ['2026-11-23T12:00:00.000Z', '2026-11-23T11:59:59.999Z'];
      async function expectFound(expected: RegExp, changed?: NodeJS.ProcessEnv): Promise<void> {
        const addresses = {
          AUTH_URL: 'https://a.example',
          IDENTITY_ADMIN_URL: 'http://kratos',
          OAUTH_ADMIN_URL: 'http://hydra',
        };
        const env = { ...TEST_KEYS, OAUTH_CLIENT_ID: 'x', EVENTS_PORT: '1', ...addresses, ...changed };
        const { sign_in_log: check } = signInLogCheck({ config: parseConfig(env), database, clock } as CheckSources);
        const { status, detail, action } = (await check?.look()) ?? assert.fail();
        assert.match(`${status}: ${detail} ${action}`, expected);
      }
      const source = (api: string, last_at: string, service: string) =>
        database.knex('event_sources').insert({
          ...{ api, last_at, service, first_at: '2026-11-01T00:00:00.000Z', last_event_at: '', look_at: '' },
        });

      await expectFound(/^warn: Kratos has never reported anything\. Hydra has never .*EVENTS_PORT\. No check .*1\.$/);
      await source('identity', old, 'old-kratos');
      await source('oauth', recent, 'hydra');
      await expectFound(/^warn: Kratos has reported nothing since 2026-11-23\. Compare/);
      await expectFound(/^pass: Hydra reports: hydra since 2026-11-01\./, { IDENTITY_ADMIN_URL: '' });
      await source('identity', recent, 'kratos');
      await expectFound(/^pass: Kratos reports: kratos since .+, old-kratos since .+ Hydra.+ sampling_ratio/);
      const refused = { cause: 'refused', detail: 'key', from_at: old, to_at: recent, number: 1 };
      await database.knex('event_gaps').insert(refused);
      await expectFound(/^warn: Requests were refused within a day: key\. Compare EVENTS_KEY/);
    });

    it('fail if the user or the path does not allow writes, and warn if the user cannot change tables', async () => {
      const { url, database } = await databases.createMigrated();
      assert.equal(await statusOf('database_rights', database, url), 'pass');
      if (databases.client === 'sqlite') {
        // A missing file is created with its folders, unless one of these is a file.
        for (const missing of ['-of-later', '-of/later/dashboard'])
          assert.equal(await statusOf('database_rights', database, url + missing), 'pass');
        assert.equal(await statusOf('database_rights', database, `${url}/below/dashboard`), 'fail');
        return;
      }
      const name = decodeURIComponent(new URL(url).pathname.slice(1));
      const user = `u${name.slice(-20)}`;
      await database.knex.raw(`create user \`${user}\` identified by 'pw'`);
      try {
        const own = url.replace(/^mysql:\/\/[^@/]*@/, `mysql://${user}:pw@`);
        const asUser = async (): Promise<PostureStatus> => statusOf('database_rights', databases.open(own), own);
        const scope = `\`${name.replaceAll('_', '\\_')}\`.*`;
        await database.knex.raw(`grant select, insert, update, delete on ${scope} to \`${user}\``);
        assert.equal(await asUser(), 'warn');
        await database.knex.raw(`grant create, alter, index on ${scope} to \`${user}\``);
        assert.equal(await asUser(), 'pass');
        await database.knex.raw(`revoke update on ${scope} from \`${user}\``);
        assert.equal(await asUser(), 'fail');
      } finally {
        await database.knex.raw(`drop user \`${user}\``);
      }
    });
  },
  { server: true },
);
