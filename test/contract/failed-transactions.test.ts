import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { type MysqlWire, mysqlWire, type StatementFate } from '../support/severable.ts';
import { recordsOf, vaultOn, verifiedRecords } from '../support/vault.ts';

describeOnDatabases(
  'what was acknowledged',
  (databases) => {
    let writer: ChildProcess | undefined;
    afterEach(() => writer?.kill('SIGKILL'));

    /** Every acknowledged setting decrypts, and every stored one has its record in an intact chain. */
    async function assertKept(database: Database, acknowledged: readonly string[]): Promise<void> {
      const { vault, audit } = vaultOn(database);
      for (const key of acknowledged) assert.equal((await vault.reveal(key, 'ada'))?.value, `value of ${key}`);
      const written = (await recordsOf(database)).filter(({ action }) => action === 'setting_write');
      const stored: string[] = (await database.knex('settings').select('key')).map(({ key }) => key);
      assert.deepEqual([...new Set(written.map(({ target }) => target))].sort(), stored.sort());
      assert.equal(typeof (await verifiedRecords(audit)), 'number');
    }

    it('is there after its process was killed while it was writing', async () => {
      const { url, database } = await databases.migrated();
      const acknowledged: string[] = [];
      writer = fork(new URL('../support/settings-writer.ts', import.meta.url));
      await once(writer, 'message');
      writer.on('message', (key: string) => acknowledged.push(key));
      writer.send(url);
      while (acknowledged.length < 30) await once(writer, 'message');
      const gone = once(writer, 'exit');
      writer.kill('SIGKILL');
      await gone;
      await assertKept(database, acknowledged);
    });

    if (databases.client === 'sqlite') return;

    it('is there after the server cut every connection again and again, and what failed can be retried', async () => {
      const { url, database } = await databases.migrated();
      const { vault } = vaultOn(databases.open(url));
      const name = new URL(url).pathname.slice(1);
      const acknowledged: string[] = [];
      let failures = 0;
      let cuts = 0;
      const done = (): boolean => cuts >= 8 && failures >= 8;

      async function write(lane: number): Promise<void> {
        for (let index = 0; !done(); index += 1) {
          const key = `${lane}.${index}`;
          // After a failure the caller retries; the failed call may have taken effect all the same.
          for (;;) {
            try {
              await vault.put({ key, value: `value of ${key}`, encrypted: true }, 'ada');
              break;
            } catch (error) {
              assert.ok(isUnavailable(error), String(error));
              failures += 1;
            }
          }
          acknowledged.push(key);
        }
      }
      async function cut(): Promise<void> {
        const own = (await database.knex.raw('select connection_id() as id'))[0][0].id;
        const [open] = await database.knex.raw(
          'select id from information_schema.processlist where db = ? and id <> ?',
          [name, own],
        );
        for (const { id } of open) await database.knex.raw('kill connection ?', [id]).catch(() => {});
      }
      const writing = Promise.all([0, 1, 2, 3].map(write));
      for (; !done(); cuts += 1) {
        await sleep(20);
        await cut();
      }
      await writing;
      assert.ok(acknowledged.length > 0);
      await assertKept(database, acknowledged);
    });

    it('is stored after a deadlock with another program, whichever of the two the server ends', async () => {
      const { url, database } = await databases.migrated();
      const { vault } = vaultOn(database);
      const write = () => vault.put({ key: 'contended', value: 'value of contended', encrypted: true }, 'ada');
      for (let index = 0; index < 20; index += 1) await write();
      const other = databases.open(url);
      const observer = databases.open(url);
      const name = new URL(url).pathname.slice(1);
      /** Statements under way that write the setting. */
      const waiting = async (): Promise<number> => {
        const [rows] = await observer.knex.raw(
          "select 1 from information_schema.processlist where db = ? and info like 'update `settings` %'",
          [name],
        );
        return rows.length;
      };
      for (const isHeavy of [true, false]) {
        let put: Promise<unknown> = Promise.resolve();
        await other.knex
          .transaction(async (trx) => {
            // The more rows a transaction has changed, the less likely the server picks it as the deadlock victim.
            if (isHeavy) await trx('audit_log').update({ subject: '' });
            await trx('settings').where({ key: 'contended' }).forUpdate().first();
            put = write();
            // It holds the lock on the head and waits for the setting.
            await eventually(waiting, 1);
            await trx('audit_head').where({ id: 1 }).forUpdate().first();
            throw new Error('nothing of this one stays');
          })
          .catch(() => {});
        await put;
      }
      assert.equal((await recordsOf(database)).length, 20 + 2);
      await assertKept(database, ['contended']);
    });
  },
  { server: true },
);

const DEADLOCK = 1213;
/** What a node of a cluster says that has no majority: to any statement, and to a COMMIT under way. */
const [NOT_READY, DURING_COMMIT] = [1047, 1180];

/** Deadlocks at a statement are in `database-faults.test.ts`. */
describeOnDatabases(
  'a transaction that the server ends in favour of another',
  (databases) => {
    if (databases.client === 'sqlite') return;

    let wire: MysqlWire;
    let database: Database;
    let url: string;
    beforeEach(async () => {
      ({ url, database } = await databases.migrated());
      wire = await mysqlWire(url);
    });
    afterEach(() => wire.close());

    /** The fate of the first COMMITs of transactions with such a statement. */
    function endOf(times: number, fate: StatementFate, has: RegExp): void {
      let left = times;
      wire.decide = (statement, before) => {
        if (!/^commit/i.test(statement) || !before.some((each) => has.test(each))) return 'pass';
        left -= 1;
        return left >= 0 ? fate : 'pass';
      };
    }
    const lease = (name: string) => ({ name, holder: 'a test', expires_at: 1 });
    const names = (): Promise<string[]> => database.knex('leases').pluck('name');

    it('runs again when it was its COMMIT', async () => {
      const service = databases.open(wire.url);
      endOf(3, DEADLOCK, /insert into `leases`/);
      let runs = 0;
      await service.transaction(async (trx) => {
        runs += 1;
        await trx('leases').insert(lease('a'));
      });
      assert.deepEqual([runs, await names()], [4, ['a']]);
    });

    it('is never repeated after a connection that was lost at its COMMIT', async () => {
      const service = databases.open(wire.url);
      endOf(1, 'lost', /insert into `leases`/);
      let runs = 0;
      const refused = service.transaction(async (trx) => {
        runs += 1;
        await trx('leases').insert(lease(`run ${runs}`));
      });
      await assert.rejects(refused, isUnavailable);
      assert.deepEqual([runs, await names()], [1, ['run 1']]);
    });

    describe('of the service', () => {
      let dashboard: Dashboard;
      beforeEach(async function () {
        this.timeout(20_000);
        dashboard = await startDashboard({ env: { DATABASE_URL: wire.url } });
      });
      afterEach(() => dashboard.close());

      it('leaves one record, one log line and one used state', async () => {
        const session = await dashboard.signIn('admin');
        endOf(2, DEADLOCK, /audit_log/);
        const { status } = await dashboard.call('/api/settings', { session, json: { key: 'a', value: 'b' } });
        assert.equal(status, 201);
        endOf(2, DEADLOCK, /used_login_states/);
        await dashboard.signIn('admin');
        // What the work makes of such an error has it as its cause.
        let left = 2;
        wire.decide = (statement) => (/insert into `audit_log`/.test(statement) && left-- > 0 ? DEADLOCK : 'pass');
        assert.equal((await dashboard.call('/api/settings/a', { session, method: 'DELETE' })).status, 204);

        const acts = (await recordsOf(database)).map(({ action }) => action);
        assert.deepEqual(acts, ['login', 'setting_write', 'login', 'setting_delete']);
        const lines = dashboard.logged.map((line) => JSON.parse(line)).filter(({ audit }) => audit !== undefined);
        assert.deepEqual(
          lines.map(({ sequence }) => sequence),
          [1, 2, 3, 4],
        );
        assert.equal((await database.knex('used_login_states')).length, 2);
      });

      it('answers 503 while a node has no majority, and as before once it has', async () => {
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
  },
  { server: true },
);
