import assert from 'node:assert/strict';
import { changePoll } from '../../server/db/change-poll.ts';
import { type Database, deleteOldRows } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { createLog } from '../../server/log.ts';
import { createRevocations } from '../../server/session/revocations.ts';
import { describeOnDatabases, type TestDatabases } from '../support/databases.ts';
import { eventually, until } from '../support/eventually.ts';
import { severable } from '../support/severable.ts';

const NOW = Date.UTC(2026, 0, 1);
const IN_AN_HOUR = NOW / 1000 + 3_600;
const MINUTE = 60_000;
const DAY = 86_400_000;

const session = (sessionId: string, identityId = 'ada', epoch = 0) => ({ sessionId, identityId, epoch });

/** Starts processes that follow the revocations in a database, on their own clocks. To be called in a suite. */
function startsProcesses(databases: TestDatabases) {
  let closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing) close();
    closing = [];
  });
  return async (url: string, elapsed = 0, wrap: (database: Database) => Database = (database) => database) => {
    const database = wrap(databases.open(url));
    const clock = { elapsed };
    const logged: string[] = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void logged.push(line) });
    const { follow, close, ...revocations } = createRevocations({
      database,
      log,
      now: () => NOW + clock.elapsed,
      monotonic: () => clock.elapsed,
    });
    const poll = changePoll({ database, log, pollMs: 20, settings: () => {}, revocations: follow });
    closing.push(poll.close, close);
    await poll.start();
    return { ...revocations, database, clock, logged };
  };
}

/** Counts how many rows of a table each committed transaction removes. */
function countingRemoved(database: Database, table: string): { counting: Database; removed: number[] } {
  const removed: number[] = [];
  const transaction: Database['transaction'] = async (work) => {
    let fewer = 0;
    const outcome = await database.transaction(async (trx) => {
      const count = async (): Promise<number> => Number((await trx(table).count({ rows: '*' }))[0]?.['rows']);
      const before = await count();
      const result = await work(trx);
      fewer = before - (await count());
      return result;
    });
    removed.push(fewer);
    return outcome;
  };
  return { counting: { ...database, transaction }, removed };
}

describeOnDatabases(
  'a revocation',
  (databases) => {
    const start = startsProcesses(databases);

    it('takes effect in its own process immediately, and in another one after a poll', async () => {
      const { url } = await databases.createMigrated();
      const [here, there] = [await start(url), await start(url)];
      await here.revokeSession('one', IN_AN_HOUR);
      await here.revokeSession('one', IN_AN_HOUR);
      assert.equal(here.isRevoked(session('one')), true);
      assert.equal(here.isRevoked(session('One')), false);
      await until(() => there.isRevoked(session('one')));
      await there.revokeSession('two', IN_AN_HOUR);
      await until(() => here.isRevoked(session('two')));
      assert.equal(here.isRevoked(session('three')), false);
    });

    it('by epoch ends every earlier session of one identity, and no later one', async () => {
      const { url } = await databases.createMigrated();
      const [here, there] = [await start(url), await start(url)];
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

    it('stays in force while the database is unavailable, and takes effect even if it cannot be stored', async () => {
      const { url } = await databases.createMigrated();
      const outage = databases.client === 'mysql' ? await severable(url) : undefined;
      const { database, logged, ...here } = await start(outage?.url ?? url);
      await here.revokeSession('one', IN_AN_HOUR);
      await (outage === undefined ? database.close() : outage.sever());
      await until(() => logged.length > 0);
      assert.equal(here.isRevoked(session('one')), true);
      assert.equal(here.isRevoked(session('two')), false);
      await assert.rejects(here.revokeSession('two', IN_AN_HOUR), isUnavailable);
      assert.equal(here.isRevoked(session('two')), true);
      await assert.rejects(here.raiseEpoch('ada'), isUnavailable);
      await assert.rejects(here.epochOf('ada'), isUnavailable);
      if (outage === undefined) return;
      await outage.restore();
      const there = await start(url);
      await there.revokeSession('three', IN_AN_HOUR);
      await until(() => here.isRevoked(session('three')));
      await outage.close();
    });
  },
  { server: true },
);

describeOnDatabases('a revocation in the database', (databases) => {
  const start = startsProcesses(databases);
  const sessionsIn = ({ knex }: Database): Promise<string[]> =>
    knex('revoked_sessions').orderBy('session_id').pluck('session_id');

  it('is deleted once its session has expired on every replica, while other revocations stay in force', async () => {
    const { url, database } = await databases.createMigrated();
    const here = await start(url);
    const later = (NOW + 2 * DAY) / 1000;
    await here.revokeSession('ended', NOW / 1000 + 60);
    await here.revokeSession('ends in a second', later + 1);
    await here.revokeSession('ends in an hour', later + 3_600);
    await here.raiseEpoch('ada');
    here.clock.elapsed = 2 * DAY;
    await until(async () => (await sessionsIn(database)).length < 3);
    await until(() => !here.isRevoked(session('ended', 'bob')));
    for (const { isRevoked } of [here, await start(url, 2 * DAY)]) {
      assert.equal(isRevoked(session('ended', 'bob')), false);
      assert.equal(isRevoked(session('ends in a second', 'bob')), true);
      assert.equal(isRevoked(session('ends in an hour', 'bob')), true);
      assert.equal(isRevoked(session('any', 'ada', 0)), true);
    }
  });

  it('is deleted in a batch of a few hundred, while its process still receives new revocations', async () => {
    const { url, database } = await databases.createMigrated();
    const ended = Array.from({ length: 1_200 }, (_, index) => ({ session_id: `e${index}`, expires_at: 0, version: 0 }));
    await database.knex.batchInsert('revoked_sessions', ended, 500);
    let startDeletion = (): void => {};
    const mayDelete = new Promise<void>((resolve) => {
      startDeletion = resolve;
    });
    let isDeleting = false;
    let removed: number[] = [];
    const here = await start(url, 0, (own) => {
      const counted = countingRemoved(own, 'revoked_sessions');
      removed = counted.removed;
      return {
        ...own,
        transaction: async (work) => {
          isDeleting = true;
          await mayDelete;
          return counted.counting.transaction(work);
        },
      };
    });
    const there = await start(url);
    here.clock.elapsed = 10 * MINUTE;
    await until(() => isDeleting);
    await there.revokeSession('elsewhere', IN_AN_HOUR);
    await until(() => here.isRevoked(session('elsewhere')));
    assert.deepEqual(removed, []);
    startDeletion();
    await eventually(() => removed, [500, 500, 200]);
  });

  it('is stored again if it is lost before its session has expired, even with a thousand others', async () => {
    const { url, database } = await databases.createMigrated();
    const rows = Array.from({ length: 1_001 }, (_, index) => ({
      session_id: `session ${index}`,
      expires_at: index === 0 ? NOW / 1000 + 30 : IN_AN_HOUR,
      version: 1,
    }));
    await database.knex.batchInsert('revoked_sessions', rows, 100);
    await database.knex('revocation_version').update({ version: 1 });
    const here = await start(url);
    await database.knex('revoked_sessions').delete();
    here.clock.elapsed += MINUTE;
    await until(() => here.logged.length > 0);
    const stored = await sessionsIn(database);
    assert.equal(stored.length, 1_000);
    assert.ok(!stored.includes('session 0'));
  });

  it('is stored again without lowering an epoch while another process does the same', async () => {
    const { url, database } = await databases.createMigrated();
    let beforeWrite = async (): Promise<unknown> => undefined;
    const here = await start(url, 0, (own) => ({
      ...own,
      async transaction(work) {
        await beforeWrite();
        return own.transaction(work);
      },
    }));
    await here.revokeSession('one', IN_AN_HOUR);
    await here.revokeSession('two', IN_AN_HOUR);
    await here.raiseEpoch('ada');
    await database.knex('revoked_sessions').delete();
    await database.knex('identity_epochs').delete();
    beforeWrite = async () => {
      beforeWrite = async () => undefined;
      await database.knex('revoked_sessions').insert({ session_id: 'one', expires_at: IN_AN_HOUR, version: 4 });
      await database.knex('identity_epochs').insert({ identity_id: 'ada', epoch: 7, version: 4 });
    };
    here.clock.elapsed += MINUTE;
    await until(() => here.logged.length > 0);
    assert.match(here.logged[0] ?? '', /missing from the database were stored again/);
    assert.deepEqual(await sessionsIn(database), ['one', 'two']);
    assert.deepEqual(await database.knex('identity_epochs').pluck('epoch'), [7]);
  });

  it('is stored again after a backup was restored under running processes, and takes effect in later processes', async () => {
    const { url, database } = await databases.createMigrated();
    const making = await start(url);
    await making.revokeSession('before', IN_AN_HOUR);
    await making.raiseEpoch('ada');
    const backup = await Promise.all(
      ['revoked_sessions', 'identity_epochs', 'revocation_version'].map(
        async (table) => [table, await database.knex(table).select()] as const,
      ),
    );
    await making.revokeSession('since', IN_AN_HOUR);
    for (let times = 0; times < 2; times += 1) await making.raiseEpoch('ada');
    await making.raiseEpoch('bob');
    const watching = await start(url);
    await database.transaction(async (trx) => {
      for (const [table, rows] of backup) {
        await trx(table).delete();
        await trx(table).insert(rows);
      }
    });
    await eventually(() => sessionsIn(database), ['before', 'since']);
    const epochs = () => database.knex('identity_epochs').orderBy('identity_id').select('identity_id', 'epoch');
    await eventually(epochs, [
      { identity_id: 'ada', epoch: 3 },
      { identity_id: 'bob', epoch: 1 },
    ]);
    for (const { isRevoked } of [making, watching, await start(url)]) {
      assert.equal(isRevoked(session('before', 'eve')), true);
      assert.equal(isRevoked(session('since', 'eve')), true);
      assert.equal(isRevoked(session('any', 'ada', 2)), true);
      assert.equal(isRevoked(session('any', 'ada', 3)), false);
      assert.equal(isRevoked(session('any', 'bob', 0)), true);
      assert.equal(isRevoked(session('any', 'bob', 1)), false);
    }
    assert.ok([...making.logged, ...watching.logged].some((line) => line.includes('was restored from a backup')));
  });

  it('takes effect even if its version was already used before a backup was restored', async () => {
    const { url, database } = await databases.createMigrated();
    const [making, watching] = [await start(url), await start(url)];
    await making.revokeSession('one', IN_AN_HOUR);
    await until(() => watching.isRevoked(session('one')));
    // The database is restored and written to between two polls.
    await database.transaction(async (trx) => {
      await trx('revoked_sessions').delete();
      await trx('revoked_sessions').insert({ session_id: 'other', expires_at: IN_AN_HOUR, version: 1 });
    });
    watching.clock.elapsed += MINUTE;
    await until(() => watching.isRevoked(session('other')));
    assert.equal(watching.isRevoked(session('one')), true);
  });
});

describeOnDatabases('the deletion of old rows', (databases) => {
  it('removes a few hundred rows in each transaction, and lets other transactions write between two of them', async () => {
    const { database } = await databases.createMigrated();
    const table = 'used_login_states';
    const old = Array.from({ length: 1_800 }, (_, index) => ({ state: `old ${index}`, expires_at: 99 }));
    await database.knex.batchInsert(table, old, 500);
    const { counting, removed } = countingRemoved(database, table);
    let others = 0;
    await deleteOldRows(counting, { table, column: 'expires_at', below: 100 }, () => {
      others += 1;
      return database.transaction((trx) => trx(table).insert({ state: `new ${others}`, expires_at: 100 }));
    });
    assert.deepEqual(removed, [500, 500, 500, 300]);
    assert.deepEqual(await database.knex(table).orderBy('state').pluck('state'), ['new 1', 'new 2', 'new 3']);
  });
});
