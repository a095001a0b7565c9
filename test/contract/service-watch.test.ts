import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { DatabaseUnavailable } from '../../server/db/errors.ts';
import { lease } from '../../server/db/lease.ts';
import { serviceChanges } from '../../server/features/services/service-changes.ts';
import { type CheckedState, serviceWatch } from '../../server/features/services/service-watch.ts';
import type { ServiceName, ServiceProblem, ServiceStatus } from '../../shared/services.ts';
import { silentLog } from '../support/context.ts';
import { describeOnDatabases, type TestDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';

const START = Date.UTC(2026, 0, 31, 9);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
/** Short, because tests wait for rounds of checks. */
const PACE = { firstMs: 1, everyMs: 3 };

type Finding = [status: ServiceStatus, problem: ServiceProblem | null];
type Findings = Partial<Record<ServiceName, Finding>>;
const UP: Finding = ['up', null];
const DOWN: Finding = ['down', 'unreachable'];

const secondsAfterStart = (time: string): number => (Date.parse(time) - START) / SECOND;

/** Replicas with one clock, on a new database for each test, that check an OAuth service and the database. */
function watchRig(databases: TestDatabases) {
  let watches: ReturnType<typeof serviceWatch>[] = [];
  let database: Database;
  const rig = {
    clock: START,
    /** The findings of all replicas. */
    findings: {} as Findings,
    database: () => database,
    replica,
    /** Starts two replicas. @returns first the one that runs the checks */
    async two() {
      const [first, second] = [replica(), replica()];
      await Promise.race([first.checked(), second.checked()]);
      return first.checks > 0 ? ([first, second] as const) : ([second, first] as const);
    },
  };
  beforeEach(async () => {
    ({ database } = await databases.createMigrated());
    rig.clock = START;
    rig.findings = { oauth: UP, database: UP };
  });
  afterEach(async () => {
    for (const watch of watches) await watch.stop();
    watches = [];
  });

  function replica() {
    const replica = {
      /** Checks of the OAuth service so far. */
      checks: 0,
      /** Checks of the database so far. */
      databaseChecks: 0,
      /** Whether it cannot reach the database. */
      isCutOff: false,
      /** The findings of this replica, in place of those of all. */
      findings: {} as Findings,
      /** Called after the checks, before their findings are stored. */
      beforeStoring: async (): Promise<unknown> => undefined,
    };
    const own: Database = {
      ...database,
      transaction: async (work) => {
        if (replica.isCutOff) throw new DatabaseUnavailable('cut off');
        return database.transaction(work);
      },
    };
    const changes = serviceChanges({ database: own, now: () => rig.clock, monotonic: () => rig.clock });
    let rounds = 0;
    const check = (name: ServiceName) => async (): Promise<CheckedState> => {
      if (name === 'oauth') replica.checks += 1;
      else replica.databaseChecks += 1;
      const common = replica.isCutOff && name === 'database' ? DOWN : (rig.findings[name] ?? UP);
      const [status, problem] = replica.findings[name] ?? common;
      const checked_at = new Date(rig.clock).toISOString();
      return { name, status, problem, version: null, latency_ms: null, checked_at };
    };
    const watch = serviceWatch({
      states: new Map([
        ['oauth', check('oauth')],
        ['database', check('database')],
      ]),
      changes: {
        ...changes,
        async store(states, mayStore) {
          await replica.beforeStoring();
          await changes.store(states, mayStore);
          rounds += 1;
        },
      },
      lease: lease(own, 'services'),
      monotonic: () => rig.clock,
      log: silentLog,
      pace: PACE,
    });
    const databaseChecked = async (): Promise<void> => {
      const before = replica.databaseChecks;
      // A check in progress may have started before this call, and a complete round has two checks.
      await eventually(() => replica.databaseChecks > before + 3, true);
    };
    watches.push(watch);
    watch.start();
    return Object.assign(replica, {
      watch,
      /** Waits for the end of a round of checks that starts after this call. */
      async checked() {
        const before = rounds;
        // A round in progress may have started before this call.
        await eventually(() => rounds > before + 1, true);
      },
      databaseChecked,
      async cutOff() {
        replica.isCutOff = true;
        await databaseChecked();
      },
      /** Changes such as `down unreachable 30` with seconds after the start, newest first. */
      async history(name: ServiceName = 'oauth') {
        return (await changes.history(name)).map(
          ({ status, problem, at, one_replica }) =>
            `${status} ${problem} ${secondsAfterStart(at)}${one_replica ? ' one replica' : ''}`,
        );
      },
      since: async (name: ServiceName = 'oauth') => secondsAfterStart((await changes.current()).get(name)?.since ?? ''),
    });
  }
  return rig;
}

describeOnDatabases('the background check of services', (databases) => {
  const rig = watchRig(databases);

  it('stores the first state of each service and then its changes, listed newest first', async () => {
    const replica = rig.replica();
    await replica.checked();
    assert.deepEqual(await replica.history(), ['up null 0']);
    rig.clock += 30 * SECOND;
    rig.findings.oauth = DOWN;
    await replica.checked();
    rig.clock += 30 * SECOND;
    rig.findings.oauth = ['down', 'slow'];
    await replica.checked();
    assert.deepEqual(await replica.history(), ['down slow 60', 'down unreachable 30', 'up null 0']);
    assert.equal(await replica.since(), 30, 'a new problem does not change the start of the outage');
    assert.deepEqual(await replica.history('database'), ['up null 0']);
    rig.clock += 30 * SECOND;
    rig.findings.oauth = UP;
    await replica.checked();
    assert.equal((await replica.history())[0], 'up null 90');
    assert.equal(await replica.since(), 90);
  });

  it('runs on one of two replicas, and on the other once the first has stopped', async () => {
    const [holder, other] = await rig.two();
    rig.clock += SECOND;
    rig.findings.oauth = DOWN;
    other.findings.oauth = UP;
    await holder.checked();
    assert.equal(other.checks, 0);
    assert.deepEqual(await other.history(), ['down unreachable 1', 'up null 0']);
    await holder.watch.stop();
    const { checks } = holder;
    other.findings = {};
    rig.clock += SECOND;
    rig.findings.oauth = UP;
    await other.checked();
    assert.equal(holder.checks, checks);
    assert.deepEqual(await other.history(), ['up null 2', 'down unreachable 1', 'up null 0']);
  });

  it('deletes changes older than seven days, except the last of them', async () => {
    const replica = rig.replica();
    await replica.checked();
    for (const finding of [DOWN, UP]) {
      rig.clock += HOUR;
      rig.findings.oauth = finding;
      await replica.checked();
    }
    rig.clock += 7 * DAY + SECOND;
    assert.deepEqual(await replica.history(), [`up null ${(2 * HOUR) / SECOND}`]);
    await eventually(async () => (await rig.database().knex('service_changes').where({ service: 'oauth' })).length, 1);
    assert.equal(await replica.since(), (2 * HOUR) / SECOND);
  });

  it('stores nothing that a replica found before it froze and lost the lease', async () => {
    const frozen = rig.replica();
    await frozen.checked();
    let unfreeze: (() => void) | undefined;
    frozen.beforeStoring = () =>
      new Promise<void>((resolve) => {
        unfreeze = resolve;
      });
    rig.findings.oauth = DOWN;
    await eventually(() => unfreeze !== undefined, true);
    frozen.beforeStoring = async () => {};
    await rig.database().knex('leases').update({ expires_at: 1 });
    rig.clock += SECOND;
    rig.findings.oauth = UP;
    const other = rig.replica();
    await other.checked();
    unfreeze?.();
    await eventually(() => other.checks > 3, true);
    await frozen.watch.stop();
    assert.deepEqual(await other.history(), ['up null 0']);
  });

  it('stores an outage of the database after its end, as found by one replica, and not again for another replica', async () => {
    const [holder, other] = await rig.two();
    rig.clock += SECOND;
    await holder.cutOff();
    await other.cutOff();
    rig.findings.oauth = DOWN;
    const { checks } = holder;
    rig.clock += 60 * SECOND;
    await holder.databaseChecked();
    assert.equal(holder.checks, checks);
    assert.deepEqual(await other.history(), ['up null 0']);
    rig.findings.database = ['up', 'slow'];
    holder.isCutOff = false;
    await holder.checked();
    const expected = ['up slow 61 one replica', 'down unreachable 1 one replica', 'up null 0'];
    assert.deepEqual(await other.history('database'), expected);
    assert.equal(await other.since('database'), 61);
    assert.deepEqual(await other.history(), ['down unreachable 61', 'up null 0']);
    other.isCutOff = false;
    await other.databaseChecked();
    assert.deepEqual(await other.history('database'), expected);
  });
});
