import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActEvent } from '../../server/audit/event.ts';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { ADA, auditOn, auditRecords, vaultOn, verifiedRecords } from '../support/audit-trail.ts';
import { startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { ofTest } from '../support/of-suite.ts';
import { type MysqlWire, mysqlWire, type StatementFate } from '../support/severable.ts';

const act = (action: ActEvent['action'], index: number): ActEvent => ({ action, actor: ADA, target: `${index}` });

describeOnDatabases(
  'two processes that write at the same time',
  (databases) => {
    it('append to the same audit trail and leave it intact', async () => {
      const { url, database } = await databases.createMigrated();
      const trails = [auditOn(database).audit, auditOn(databases.open(url)).audit];
      await Promise.all(
        trails.flatMap((trail) => [
          // Few enough acts for each to get the lock within the four seconds for which an act may wait.
          ...Array.from({ length: 6 }, (_, index) => trail.record(act('login', index))),
          ...Array.from({ length: 100 }, (_, index) => trail.queue(act('proxy_write', index))),
          trail.drain(),
        ]),
      );
      assert.equal(await verifiedRecords(trails[0] ?? assert.fail()), 212);
    });

    it('leave one row of a setting, a version of each earlier value and one record of each change', async () => {
      const { url, database } = await databases.createMigrated();
      const { vault, audit } = vaultOn(database);
      const vaults = [vault, vaultOn(databases.open(url)).vault];
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (vaults[index % 2] ?? vault).put({ key: 'contended', value: String(index) }, ADA),
        ),
      );
      assert.equal(outcomes.filter(({ created }) => created).length, 1);
      assert.equal((await database.knex('settings')).length, 1);
      const values = (await vault.history.versions('contended')).map(({ value }) => value);
      const last = (await vault.get('contended'))?.value;
      assert.deepEqual(
        [...values, last].map(Number).sort((a, b) => a - b),
        [...Array(20).keys()],
      );
      assert.equal((await database.knex('settings_version').first()).version, 20);
      assert.equal(await verifiedRecords(audit), 20);
    });
  },
  { server: true },
);

const DEADLOCK = 1213;
/** The errors of a cluster's node without a majority, for any statement and for a COMMIT. */
const [NOT_READY, DURING_COMMIT] = [1047, 1180];

describeOnDatabases(
  'a transaction',
  (databases) => {
    if (databases.client === 'sqlite') return;

    /** Asserts that acknowledged settings can be decrypted, and that stored ones have their records in an intact trail. */
    async function assertStored(database: Database, acknowledged: readonly string[]): Promise<void> {
      const { vault, audit } = vaultOn(database);
      for (const key of acknowledged) assert.equal((await vault.reveal(key, ADA))?.value, `value of ${key}`);
      const written = (await auditRecords(database)).filter(({ action }) => action === 'setting_write');
      const stored: string[] = await database.knex('settings').pluck('key');
      assert.deepEqual([...new Set(written.map(({ target }) => target))].sort(), stored.sort());
      assert.equal(typeof (await verifiedRecords(audit)), 'number');
    }

    it('is stored if it was acknowledged, and can be retried otherwise, while connections break repeatedly', async () => {
      const { url, database } = await databases.createMigrated();
      const { vault } = vaultOn(databases.open(url));
      const name = new URL(url).pathname.slice(1);
      const acknowledged: string[] = [];
      let failures = 0;
      let rounds = 0;
      const isOver = (): boolean => rounds >= 8 && failures >= 8;

      async function write(writer: number): Promise<void> {
        for (let index = 0; !isOver(); index += 1) {
          const key = `${writer}.${index}`;
          for (let isStored = false; !isStored; ) {
            try {
              await vault.put({ key, value: `value of ${key}`, encrypted: true }, ADA);
              isStored = true;
            } catch (error) {
              // The setting may have been stored nevertheless.
              assert.ok(isUnavailable(error), String(error));
              failures += 1;
            }
          }
          acknowledged.push(key);
        }
      }
      async function breakConnections(): Promise<void> {
        const own = (await database.knex.raw('select connection_id() as id'))[0][0].id;
        const [open] = await database.knex.raw(
          'select id from information_schema.processlist where db = ? and id <> ?',
          [name, own],
        );
        for (const { id } of open) await database.knex.raw('kill connection ?', [id]).catch(() => {});
      }
      const writing = Promise.all([0, 1, 2, 3].map(write));
      for (; !isOver(); rounds += 1) {
        await sleep(20);
        await breakConnections();
      }
      await writing;
      await assertStored(database, acknowledged);
    });

    it('is stored after a deadlock with another program, whichever of the two the server rolls back', async () => {
      const { url, database } = await databases.createMigrated();
      const { vault } = vaultOn(database);
      const write = () => vault.put({ key: 'contended', value: 'value of contended', encrypted: true }, ADA);
      for (let index = 0; index < 20; index += 1) await write();
      const other = databases.open(url);
      const observer = databases.open(url);
      const blockedWrites = observer
        .knex('information_schema.processlist')
        .where({ db: new URL(url).pathname.slice(1) })
        .where('info', 'like', 'update `settings` %');
      for (const isHeavy of [true, false]) {
        let put: Promise<unknown> = Promise.resolve();
        await other.knex
          .transaction(async (trx) => {
            // The more rows a transaction has changed, the less likely the server picks it as the deadlock victim.
            if (isHeavy) await trx('audit_log').update({ subject: '' });
            await trx('settings').where({ key: 'contended' }).forUpdate().first();
            put = write();
            // The write holds the lock on the head and waits for the setting.
            await eventually(async () => (await blockedWrites.clone().pluck('id')).length, 1);
            await trx('audit_head').where({ id: 1 }).forUpdate().first();
            throw new Error('rolls back');
          })
          .catch(() => {});
        await put;
      }
      assert.equal((await auditRecords(database)).length, 20 + 2);
      await assertStored(database, ['contended']);
    });

    describe('whose COMMIT fails', () => {
      let wire: MysqlWire;
      let database: Database;
      beforeEach(async () => {
        const { url, database: direct } = await databases.createMigrated();
        database = direct;
        wire = await mysqlWire(url);
      });
      afterEach(() => wire.close());

      /** Decides the fate of the first COMMITs of transactions with such a statement. */
      function failCommits(times: number, fate: StatementFate, statement: RegExp): void {
        let left = times;
        wire.decide = (current, before) => {
          if (!/^commit/i.test(current) || !before.some((text) => statement.test(text))) return 'pass';
          left -= 1;
          return left >= 0 ? fate : 'pass';
        };
      }
      async function insertLeases(): Promise<number> {
        let runs = 0;
        await databases
          .open(wire.url)
          .transaction(async (trx) => {
            runs += 1;
            await trx('leases').insert({ name: `run ${runs}`, holder: 'a test', expires_at: 1 });
          })
          .catch((error) => assert.ok(isUnavailable(error), String(error)));
        return runs;
      }
      const leases = (): Promise<string[]> => database.knex('leases').pluck('name');

      it('because of a deadlock runs again', async () => {
        failCommits(3, DEADLOCK, /insert into `leases`/);
        assert.deepEqual([await insertLeases(), await leases()], [4, ['run 4']]);
      });

      it('because of a broken connection does not run again, as it may have been stored', async () => {
        failCommits(1, 'lost', /insert into `leases`/);
        assert.deepEqual([await insertLeases(), await leases()], [1, ['run 1']]);
      });

      describe('in the service', () => {
        const dashboard = ofTest(() => startDashboard({ env: { DATABASE_URL: wire.url } }));

        it('because of a deadlock leaves one record, one log line and one used login state', async () => {
          const session = await dashboard.signIn('admin');
          failCommits(2, DEADLOCK, /audit_log/);
          const { status } = await dashboard.call('/api/settings', { session, json: { key: 'a', value: 'b' } });
          assert.equal(status, 201);
          failCommits(2, DEADLOCK, /used_login_states/);
          await dashboard.signIn('admin');
          // A deadlock at a statement, whose error the audit trail wraps.
          let left = 2;
          wire.decide = (statement) => (/insert into `audit_log`/.test(statement) && left-- > 0 ? DEADLOCK : 'pass');
          assert.equal((await dashboard.call('/api/settings/a', { session, method: 'DELETE' })).status, 204);

          const acts = (await auditRecords(database)).map(({ action }) => action);
          assert.deepEqual(acts, ['login', 'setting_write', 'login', 'setting_delete']);
          const lines = dashboard.logged.map((line) => JSON.parse(line)).filter(({ audit }) => audit !== undefined);
          const sequences = lines.map(({ sequence }) => sequence);
          assert.deepEqual(sequences, [1, 2, 3, 4]);
          assert.equal((await database.knex('used_login_states')).length, 2);
        });

        it('for lack of a majority causes a 503 response, and succeeds once there is a majority', async () => {
          const session = await dashboard.signIn('admin');
          const write = async (): Promise<number> =>
            (await dashboard.call('/api/settings', { session, json: { key: 'a', value: 'b' } })).status;
          const list = async (): Promise<number> => (await dashboard.call('/api/settings', { session })).status;
          wire.decide = () => NOT_READY;
          assert.deepEqual([await write(), await list()], [503, 503]);
          wire.decide = (statement) => (/^commit/i.test(statement) ? DURING_COMMIT : 'pass');
          assert.deepEqual([await write(), await list()], [503, 200]);
          wire.decide = () => 'pass';
          assert.deepEqual([await write(), await list()], [201, 200]);
        });
      });
    });
  },
  { server: true },
);
