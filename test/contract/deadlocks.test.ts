import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { type MysqlWire, mysqlWire, type StatementFate } from '../support/severable.ts';
import { recordsOf } from '../support/vault.ts';

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
      beforeEach(async () => {
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
