import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, deleteOldRows } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { createLog } from '../../server/log.ts';
import { silentLog } from '../support/context.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually, until } from '../support/eventually.ts';
import { type PolledRevocations, polledRevocations } from '../support/polled-revocations.ts';
import { severable } from '../support/severable.ts';

/** Tells how many rows of a table each transaction took away. @returns `lost` grows with each that is committed */
function rowsLost(database: Database, table: string): { watched: Database; lost: number[] } {
  const { transaction: begin } = database;
  const lost: number[] = [];
  const transaction: Database['transaction'] = async (work) => {
    let fewer = 0;
    const outcome = await begin(async (trx) => {
      const count = async (): Promise<number> => Number((await trx(table).count({ rows: '*' }))[0]?.['rows']);
      const before = await count();
      const response = await work(trx);
      fewer = before - (await count());
      return response;
    });
    lost.push(fewer);
    return outcome;
  };
  return { watched: { ...database, transaction }, lost };
}

const POLL_MS = 20;
const NOW = Date.UTC(2026, 0, 1);
const IN_AN_HOUR = NOW / 1000 + 3_600;

describeOnDatabases(
  'revocations',
  (databases) => {
    let opened: PolledRevocations[] = [];
    afterEach(() => {
      for (const revocations of opened) revocations.close();
      opened = [];
    });

    function revocationsOn(url: string, options: { now?: () => number } = {}) {
      const database = databases.open(url);
      const warnings: string[] = [];
      const log = createLog({ level: 'warn', production: false }, { write: (line) => void warnings.push(line) });
      const now = options.now ?? ((): number => NOW);
      const revocations = polledRevocations({ database, log, now, monotonic: now, pollMs: POLL_MS });
      opened.push(revocations);
      return { revocations, database, warnings };
    }

    const session = (sessionId: string, identityId = 'ada', epoch = 0) => ({ sessionId, identityId, epoch });

    it('hold at once where they are made, and in another process after a poll', async () => {
      const { url } = await databases.migrated();
      const [here, there] = [revocationsOn(url).revocations, revocationsOn(url).revocations];
      await Promise.all([here.start(), there.start()]);
      await here.revokeSession('one', IN_AN_HOUR);
      await here.revokeSession('one', IN_AN_HOUR);
      assert.equal(here.isRevoked(session('one')), true);
      assert.equal(here.isRevoked(session('One')), false);
      await until(() => there.isRevoked(session('one')));
      await there.revokeSession('two', IN_AN_HOUR);
      await until(() => here.isRevoked(session('two')));
      assert.equal(here.isRevoked(session('three')), false);
    });

    it('are known to a process that starts later', async () => {
      const { url } = await databases.migrated();
      const early = revocationsOn(url).revocations;
      await early.revokeSession('one', IN_AN_HOUR);
      await early.raiseEpoch('ada');
      const late = revocationsOn(url).revocations;
      await late.start();
      assert.equal(late.isRevoked(session('one', 'bob')), true);
      assert.equal(late.isRevoked(session('two', 'ada', 0)), true);
    });

    it('by epoch end every earlier session of one identity, and no later one', async () => {
      const { url } = await databases.migrated();
      const [here, there] = [revocationsOn(url).revocations, revocationsOn(url).revocations];
      await Promise.all([here.start(), there.start()]);
      assert.equal(await here.epochOf('ada'), 0);
      await here.raiseEpoch('ada');
      assert.equal(here.isRevoked(session('any', 'ada', 0)), true);
      assert.equal(here.isRevoked(session('any', 'bob', 0)), false);
      assert.equal(await there.epochOf('ada'), 1);
      assert.equal(here.isRevoked(session('new', 'ada', 1)), false);
      await Promise.all([here.raiseEpoch('ada'), there.raiseEpoch('ada'), here.raiseEpoch('ada')]);
      assert.equal(await there.epochOf('ada'), 4);
      await until(() => there.isRevoked(session('new', 'ada', 3)) && here.isRevoked(session('new', 'ada', 3)));
    });

    it('stay in force from memory while the database is away, which is logged once', async () => {
      const { url } = await databases.migrated();
      const outage = databases.client === 'mysql' ? await severable(url) : undefined;
      const { revocations, database, warnings } = revocationsOn(outage?.url ?? url);
      await revocations.start();
      await revocations.revokeSession('one', IN_AN_HOUR);
      if (outage === undefined) await database.close();
      else await outage.sever();
      await until(() => warnings.length > 0);
      await sleep(POLL_MS * 5);
      assert.equal(warnings.length, 1, 'each poll fails, and the first is logged');
      assert.equal(revocations.isRevoked(session('one')), true);
      assert.equal(revocations.isRevoked(session('two')), false);
      await assert.rejects(revocations.revokeSession('two', IN_AN_HOUR), isUnavailable);
      await assert.rejects(revocations.raiseEpoch('ada'), isUnavailable);
      await assert.rejects(revocations.epochOf('ada'), isUnavailable);
      assert.equal(revocations.isRevoked(session('two')), true, 'here it ended all the same');
      if (outage === undefined) return;
      await outage.restore();
      const other = revocationsOn(url).revocations;
      await other.revokeSession('three', IN_AN_HOUR);
      await until(() => revocations.isRevoked(session('three')));
      await outage.close();
    });
  },
  { server: true },
);

const DAY = 86_400_000;
/** Between two looks for what can be dropped. */
const A_WHILE = 600_000;

describeOnDatabases('revocations that are still in force', (databases) => {
  let opened: PolledRevocations[] = [];
  afterEach(() => {
    for (const revocations of opened) revocations.close();
    opened = [];
  });

  async function startedOn(url: string, now: () => number = () => NOW, database = databases.open(url)) {
    const revocations = polledRevocations({ database, log: silentLog, now, monotonic: now, pollMs: 20 });
    opened.push(revocations);
    await revocations.start();
    return { revocations, database };
  }

  const session = (sessionId: string, identityId = 'nobody', epoch = 0) => ({ sessionId, identityId, epoch });

  it('are kept when those of ended sessions are dropped, here and for a process that starts later', async () => {
    const { url } = await databases.migrated();
    let now = NOW;
    const { revocations, database } = await startedOn(url, () => now);
    const later = NOW + 2 * DAY;
    await revocations.revokeSession('ended', NOW / 1000 + 60);
    await revocations.revokeSession('ends in a second', later / 1000 + 1);
    await revocations.revokeSession('ends in an hour', later / 1000 + 3_600);
    await revocations.raiseEpoch('ada');
    now = later;
    await until(async () => (await database.knex('revoked_sessions').select('session_id')).length < 3);
    await until(() => !revocations.isRevoked(session('ended')));
    const { revocations: started } = await startedOn(url, () => now);
    for (const each of [revocations, started]) {
      assert.equal(each.isRevoked(session('ended')), false);
      assert.equal(each.isRevoked(session('ends in a second')), true);
      assert.equal(each.isRevoked(session('ends in an hour')), true);
      assert.equal(each.isRevoked(session('any', 'ada', 0)), true);
    }
  });

  it('are heard of from other processes while many of ended sessions are being dropped, a few hundred at a time', async () => {
    const { url, database: plain } = await databases.migrated();
    const ended = Array.from({ length: 1_200 }, (_, index) => ({ session_id: `e${index}`, expires_at: 0, version: 0 }));
    await plain.knex.batchInsert('revoked_sessions', ended, 500);
    let now = NOW;
    let drop = (): void => {};
    const held = new Promise<void>((resolve) => {
      drop = resolve;
    });
    const { watched, lost } = rowsLost(databases.open(url), 'revoked_sessions');
    let dropping = false;
    const here = await startedOn(url, () => now, {
      ...watched,
      transaction: async (work) => {
        dropping = true;
        await held;
        return watched.transaction(work);
      },
    });
    const there = await startedOn(url);
    now = NOW + A_WHILE;
    await until(() => dropping);
    await there.revocations.revokeSession('elsewhere', now / 1000 + 60);
    await until(() => here.revocations.isRevoked(session('elsewhere')));
    assert.deepEqual(lost, []);
    drop();
    await eventually(() => lost, [500, 500, 200]);
  });
});

const A_MINUTE = 60_000;

/** A database, and what is done before the next write to it, as another process might. */
function watched(database: Database): { database: Database; seen: { beforeWrite: () => Promise<unknown> } } {
  const seen = { beforeWrite: async (): Promise<unknown> => undefined };
  const transaction: Database['transaction'] = async (work) => {
    const { beforeWrite } = seen;
    seen.beforeWrite = async () => undefined;
    await beforeWrite();
    return database.transaction(work);
  };
  return { database: { ...database, transaction }, seen };
}

describeOnDatabases('a process that keeps up with revocations', (databases) => {
  let opened: PolledRevocations[] = [];
  afterEach(() => {
    for (const revocations of opened) revocations.close();
    opened = [];
  });

  async function startedOn(url: string) {
    const clock = { elapsed: 0 };
    const lines: string[] = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    const { database, seen } = watched(databases.open(url));
    const revocations = polledRevocations({
      database,
      log,
      now: () => NOW + clock.elapsed,
      monotonic: () => clock.elapsed,
      pollMs: 10,
    });
    opened.push(revocations);
    await revocations.start();
    return { revocations, seen, lines, clock };
  }

  it('stores again all that the database has lost, however much, and nothing that is over', async () => {
    const { url, database } = await databases.migrated();
    const rows = Array.from({ length: 1_001 }, (_, index) => ({
      session_id: `session ${index}`,
      expires_at: index === 0 ? NOW / 1000 + 30 : IN_AN_HOUR,
      version: 1,
    }));
    for (let from = 0; from < rows.length; from += 100)
      await database.knex('revoked_sessions').insert(rows.slice(from, from + 100));
    await database.knex('revocation_version').update({ version: 1 });
    const { clock, lines } = await startedOn(url);
    await database.knex('revoked_sessions').delete();
    clock.elapsed += A_MINUTE;
    await until(() => lines.length > 0);
    const stored = await database.knex('revoked_sessions').select('session_id');
    assert.equal(stored.length, 1_000);
    assert.equal(
      stored.some(({ session_id }) => session_id === 'session 0'),
      false,
    );
  });

  it('stores again beside others that do the same, and takes back nothing that they know better', async () => {
    const { url, database } = await databases.migrated();
    const { revocations, seen, clock, lines } = await startedOn(url);
    await revocations.revokeSession('one', IN_AN_HOUR);
    await revocations.revokeSession('two', IN_AN_HOUR);
    await revocations.raiseEpoch('ada');
    await database.knex('revoked_sessions').delete();
    await database.knex('identity_epochs').delete();
    seen.beforeWrite = async () => {
      await database.knex('revoked_sessions').insert({ session_id: 'one', expires_at: IN_AN_HOUR, version: 4 });
      await database.knex('identity_epochs').insert({ identity_id: 'ada', epoch: 7, version: 4 });
    };
    clock.elapsed += A_MINUTE;
    await until(() => lines.length > 0);
    assert.match(lines[0] ?? '', /missing from the database were stored again/);
    const sessions = await database.knex('revoked_sessions').select('session_id').orderBy('session_id');
    assert.deepEqual(
      sessions.map(({ session_id }) => session_id),
      ['one', 'two'],
    );
    assert.deepEqual(await database.knex('identity_epochs').select('epoch'), [{ epoch: 7 }]);
  });
});

const TABLE = 'used_login_states';

describeOnDatabases('old rows', (databases) => {
  const stored = async (count: number, expires_at: number) => {
    const { database } = await databases.migrated();
    const states = Array.from({ length: count }, (_, index) => ({ state: `old ${index}`, expires_at }));
    await database.knex.batchInsert(TABLE, states, 500);
    return database;
  };

  it('go a few hundred in a transaction, and between two of them others write', async () => {
    const database = await stored(1_800, 99);
    const { watched, lost } = rowsLost(database, TABLE);
    let others = 0;
    await deleteOldRows(watched, { table: TABLE, column: 'expires_at', below: 100 }, () => {
      others += 1;
      return database.transaction((trx) => trx(TABLE).insert({ state: `new ${others}`, expires_at: 100 }));
    });
    assert.deepEqual(lost, [500, 500, 500, 300]);
    assert.equal(others, 3);
    assert.equal((await database.knex(TABLE).where({ expires_at: 100 })).length, 3);
  });
});
