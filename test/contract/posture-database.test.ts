import assert from 'node:assert/strict';
import type { CheckSources, Checks } from '../../server/checks/check.ts';
import { storageChecks } from '../../server/checks/storage.ts';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import type { PostureId, PostureStatus } from '../../shared/security.ts';
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
