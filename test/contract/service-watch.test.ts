import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { DatabaseUnavailable } from '../../server/db/errors.ts';
import { lease } from '../../server/db/lease.ts';
import { type ServiceChanges, serviceChanges } from '../../server/features/services/service-changes.ts';
import { type CheckedState, type ServiceWatch, serviceWatch } from '../../server/features/services/service-watch.ts';
import type { ServiceChange, ServiceName, ServiceProblem, ServiceStatus } from '../../shared/services.ts';
import { silentLog } from '../support/context.ts';
import { describeOnDatabases, type TestDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';

const NOW = Date.UTC(2026, 0, 31, 9);
const SECOND = 1_000;
/** What a test waits for are looks, never so many milliseconds. */
const PACE = { firstMs: 1, everyMs: 3 };

type Told = [status: ServiceStatus, problem: ServiceProblem | null];
const UP: Told = ['up', null];
const DOWN: Told = ['down', 'unreachable'];

/** A replica that watches an OAuth service and the database. */
interface WatchingReplica {
  watch: ServiceWatch;
  changes: ServiceChanges;
  /** How often it has looked at the OAuth service. */
  looks: number;
  /** How often it has looked whether the database is there. */
  pings: number;
  /** Waits for a look that begins after this call, and for its end. */
  looked(): Promise<void>;
  /** Waits until it has looked whether the database is there. */
  pinged(): Promise<void>;
  /** From now on it cannot reach the database; waits until it knows. */
  cutOff(): Promise<void>;
  isCutOff: boolean;
  /** What it alone finds. */
  own: Partial<Record<ServiceName, Told>>;
  /** Done between finding and storing. */
  beforeStoring: () => Promise<unknown>;
  /** `down unreachable 30`, newest first: the seconds after the beginning. */
  history(name?: ServiceName): Promise<string[]>;
  /** In seconds after the beginning. */
  since(name?: ServiceName): Promise<number>;
}

/** Replicas on one new database for each test, with one clock. */
interface WatchRig {
  database: Database;
  clock: number;
  /** What all replicas find. */
  world: Partial<Record<ServiceName, Told>>;
  changes(): ServiceChanges;
  replica(): WatchingReplica;
  /** Two replicas, the one that looks first. */
  two(): Promise<[WatchingReplica, WatchingReplica]>;
}

/** To be called in a suite. */
function watchRig(databases: TestDatabases): WatchRig {
  let opened: ServiceWatch[] = [];
  const rig: WatchRig = {
    database: undefined as unknown as Database,
    clock: NOW,
    world: {},
    changes: () => changesOn(rig.database),
    replica,
    async two() {
      const [first, second] = [replica(), replica()];
      await Promise.race([first.looked(), second.looked()]);
      return first.looks > 0 ? [first, second] : [second, first];
    },
  };
  const changesOn = (database: Database): ServiceChanges =>
    serviceChanges({ database, now: () => rig.clock, monotonic: () => rig.clock });

  beforeEach(async () => {
    const { database } = await databases.migrated();
    Object.assign(rig, { database, clock: NOW, world: { oauth: UP, database: UP } });
  });
  afterEach(async () => {
    for (const watch of opened) await watch.stop();
    opened = [];
  });

  function replica(): WatchingReplica {
    const own: Database = {
      ...rig.database,
      transaction: async (work) => {
        if (made.isCutOff) throw new DatabaseUnavailable('cut off');
        return rig.database.transaction(work);
      },
    };
    const changes = changesOn(own);
    let ended = 0;
    let waiting: (() => boolean)[] = [];
    const reached = (condition: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(() => {
          if (condition()) resolve();
          return condition();
        });
      });
    const changed = (): void => {
      waiting = waiting.filter((isOver) => !isOver());
    };
    const found = (name: ServiceName) => async (): Promise<CheckedState> => {
      if (name === 'oauth') made.looks += 1;
      else made.pings += 1;
      changed();
      const state = made.own[name] ?? (made.isCutOff && name === 'database' ? DOWN : (rig.world[name] ?? UP));
      const checked_at = new Date(rig.clock).toISOString();
      return { name, status: state[0], problem: state[1], version: null, latency_ms: null, checked_at };
    };
    const watch = serviceWatch({
      states: new Map([
        ['oauth', found('oauth')],
        ['database', found('database')],
      ]),
      changes: {
        ...changes,
        async store(states, mayStore) {
          await made.beforeStoring();
          await changes.store(states, mayStore);
          ended += 1;
          changed();
        },
      },
      lease: lease(own, 'services'),
      monotonic: () => rig.clock,
      log: silentLog,
      pace: PACE,
    });
    const made: WatchingReplica = {
      watch,
      changes,
      looks: 0,
      pings: 0,
      async looked() {
        const before = ended;
        // The one under way may have begun before.
        await reached(() => ended > before + 1);
      },
      async pinged() {
        const { pings } = made;
        // The one under way may have begun before, and is counted twice in a whole look.
        await reached(() => made.pings > pings + 3);
      },
      cutOff() {
        made.isCutOff = true;
        return made.pinged();
      },
      own: {},
      beforeStoring: async () => {},
      isCutOff: false,
      history: async (name = 'oauth') => told(await changes.history(name)),
      since: async (name = 'oauth') => (Date.parse((await changes.current()).get(name)?.since ?? '') - NOW) / SECOND,
    };
    opened.push(watch);
    watch.start();
    return made;
  }
  return rig;
}

/** `down unreachable 30`: the seconds after the beginning. */
const told = (changes: readonly ServiceChange[]): string[] =>
  changes.map(
    ({ status, problem, at, one_replica }) =>
      `${status} ${problem} ${(Date.parse(at) - NOW) / SECOND}${one_replica ? ' one replica' : ''}`,
  );

const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

describeOnDatabases('the watch over services', (databases) => {
  const rig = watchRig(databases);

  it('stores how services are at the first look, and then what changes, newest first', async () => {
    assert.deepEqual(await rig.changes().history('oauth'), []);
    const one = rig.replica();
    await one.looked();
    assert.deepEqual(await one.history(), ['up null 0']);
    rig.clock += 30 * SECOND;
    rig.world.oauth = DOWN;
    await one.looked();
    rig.clock += 30 * SECOND;
    rig.world.oauth = ['down', 'slow'];
    await one.looked();
    assert.deepEqual(await one.history(), ['down slow 60', 'down unreachable 30', 'up null 0']);
    assert.equal(await one.since(), 30, 'whatever the problem was since then');
    assert.deepEqual(await one.history('database'), ['up null 0']);
    rig.clock += 30 * SECOND;
    rig.world.oauth = UP;
    await one.looked();
    assert.equal((await one.history())[0], 'up null 90');
    assert.equal(await one.since(), 90);
  });

  it('is done by one of two replicas, and by the other once the first has stopped', async () => {
    const [holder, other] = await rig.two();
    rig.clock += SECOND;
    rig.world.oauth = DOWN;
    other.own.oauth = UP;
    await holder.looked();
    assert.equal(other.looks, 0);
    assert.deepEqual(await other.history(), ['down unreachable 1', 'up null 0']);
    await holder.watch.stop();
    const { looks } = holder;
    other.own = {};
    rig.clock += SECOND;
    rig.world.oauth = UP;
    await other.looked();
    assert.equal(holder.looks, looks);
    assert.deepEqual(await other.history(), ['up null 2', 'down unreachable 1', 'up null 0']);
  });

  it('forgets what is older than seven days, except how they began', async () => {
    const one = rig.replica();
    await one.looked();
    for (const found of [DOWN, UP]) {
      rig.clock += HOUR;
      rig.world.oauth = found;
      await one.looked();
    }
    rig.clock += 7 * DAY + SECOND;
    assert.deepEqual(await one.history(), [`up null ${(2 * HOUR) / SECOND}`]);
    await eventually(async () => (await rig.database.knex('service_changes').where({ service: 'oauth' })).length, 1);
    assert.equal(await one.since(), (2 * HOUR) / SECOND);
  });
});

describeOnDatabases('the watch over services, disturbed', (databases) => {
  const rig = watchRig(databases);

  it('stores nothing that a replica found before it froze', async () => {
    const frozen = rig.replica();
    await frozen.looked();
    let thaw = (): void => {};
    const atStoring = new Promise<void>((reached) => {
      frozen.beforeStoring = () => {
        reached();
        frozen.beforeStoring = async () => {};
        return new Promise<void>((resolve) => {
          thaw = resolve;
        });
      };
    });
    rig.world.oauth = DOWN;
    await atStoring;
    await rig.database.knex('leases').update({ expires_at: 1 });
    rig.clock += SECOND;
    rig.world.oauth = UP;
    const other = rig.replica();
    await other.looked();
    thaw();
    await eventually(() => other.looks > 3, true);
    await frozen.watch.stop();
    assert.deepEqual(await other.history(), ['up null 0']);
  });

  it('reports a database that was away once it is back, as one replica saw it, and not again as others did', async () => {
    const [holder, other] = await rig.two();
    rig.clock += SECOND;
    await holder.cutOff();
    await other.cutOff();
    rig.world.oauth = DOWN;
    const { looks } = holder;
    rig.clock += 60 * SECOND;
    await holder.pinged();
    assert.equal(holder.looks, looks);
    assert.deepEqual(await other.history(), ['up null 0']);
    rig.world.database = ['up', 'slow'];
    holder.isCutOff = false;
    await holder.looked();
    const seen = ['up slow 61 one replica', 'down unreachable 1 one replica', 'up null 0'];
    assert.deepEqual(await other.history('database'), seen);
    assert.equal(await other.since('database'), 61);
    assert.deepEqual(await other.history(), ['down unreachable 61', 'up null 0']);
    other.isCutOff = false;
    await other.pinged();
    assert.deepEqual(await other.history('database'), seen);
  });
});
