import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditSearch } from '../../server/audit/audit-search.ts';
import type { Database } from '../../server/db/database.ts';
import { appendMixed } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { DAY, LATER, placeOf, seconds, storedIn, trailUser, verdictOf } from '../support/pruned-trail.ts';
import { recordsOf } from '../support/vault.ts';

const shownIn = async (database: Database): Promise<number[]> =>
  (await auditSearch(database).page({}, 5_000)).records.map(({ sequence }) => sequence).sort((a, b) => a - b);
const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describeOnDatabases('pruning the audit trail', (databases) => {
  it('removes the records before a date, says so in the trail, and leaves a trail that verifies and grows', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 620);
    const user = trailUser(database);
    const last = await placeOf(database, 320);
    // Four records a second: the one at index 320 is the first of second 80.
    const pruned = await user.prune(await placeOf(database, 620), { before: seconds(80) });
    assert.deepEqual(pruned, { removed: 320, deleted: 320, start: last });
    assert.deepEqual(await storedIn(database), upTo(321, 621));
    const { digest, ...details } = ((await recordsOf(database)).at(-1) as { details: Record<string, unknown> }).details;
    assert.match(String(digest), /^[\w-]{43}$/);
    assert.deepEqual(details, {
      before: seconds(80),
      removed: 320,
      after: 320,
      after_tag: last.tag,
      up_to: 620,
      tag: (await placeOf(database, 620)).tag,
      key_since: seconds(0),
    });
    const { action, actor, target } = (await recordsOf(database)).at(-1) as Record<string, unknown>;
    assert.deepEqual([action, actor, target], ['audit_prune', 'command-line', null]);
    assert.equal(await verdictOf(user), '301 records after 320');
    await appendMixed(database, 300, 620);
    assert.equal(await verdictOf(user), '601 records after 320');
    assert.deepEqual(await shownIn(database), upTo(321, 921));
  });

  it('removes nothing after the exported place, and nothing after a record that stays', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 120);
    const user = trailUser(database);
    assert.equal((await user.prune(await placeOf(database, 30))).removed, 30);
    // The clock stepped back half a minute at index 49: that record looks older than those before it.
    assert.equal((await user.prune(await placeOf(database, 120), { before: seconds(12) })).removed, 18);
    assert.deepEqual(await storedIn(database), upTo(49, 122));
    assert.equal(await verdictOf(user), '74 records after 48');
  });

  it('leaves its own record of a trail that was exported to its end, and can be repeated', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 40);
    const user = trailUser(database);
    const last = await placeOf(database, 40);
    assert.equal((await user.prune(last)).removed, 40);
    assert.deepEqual(await storedIn(database), [41]);
    assert.deepEqual(await user.prune(last), { removed: 0, deleted: 0, start: last });
    assert.equal(await verdictOf(user), '1 records after 40');
    assert.equal(await verdictOf(user, last), '1 records after 40', 'the last pruned record is still known');
    const other = { ...last, tag: 'A'.repeat(43) };
    assert.match(await verdictOf(user, other), /^broken at 40: the record is not the one that stood here before/);
  });

  it('is refused, and changes nothing, without a date, a place and a trail that allow it', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 60);
    const user = trailUser(database);
    const last = await placeOf(database, 60);
    const young = new Date(LATER - 90 * DAY + 1).toISOString();
    await assert.rejects(user.prune(last, { before: young }), /the last 90 days are kept/);
    await assert.rejects(user.prune({ ...last, tag: 'A'.repeat(43) }), /has no record 60:A/);
    await assert.rejects(user.prune({ ...last, sequence: 59 }), /has no record 59:/);
    await assert.rejects(user.prune({ ...last, sequence: 61 }), /has no record 61:/);
    const former = await database.knex('audit_log').where({ sequence: 50 }).first();
    await database.knex('audit_log').where({ sequence: 50 }).update({ actor: 'eve' });
    await assert.rejects(user.prune(await placeOf(database, 10)), /broken at record 50, so it is not pruned/);
    await database.knex('audit_log').where({ sequence: 50 }).update(former);
    assert.deepEqual(await storedIn(database), upTo(1, 60));
    assert.equal(await verdictOf(user), '60 records after 0');

    const oldest = new Date(LATER - 90 * DAY).toISOString();
    assert.equal((await user.prune(await placeOf(database, 20), { before: oldest })).removed, 20);
    await assert.rejects(
      user.prune(await placeOf(database, 60).then((place) => ({ ...place, sequence: 19 }))),
      /19 was/,
    );
  });

  /** Ends a prune after so many batches, as a SIGKILL would. */
  const killedAfter = (batches: number) => {
    let paused = 0;
    return async (): Promise<void> => {
      paused += 1;
      if (paused > batches) throw new Error('killed');
    };
  };

  for (const batches of [0, 1])
    it(`is whole when it was interrupted after batch ${batches + 1}, and is pruned to the end by the next one`, async () => {
      const { database } = await databases.migrated();
      await appendMixed(database, 1_230);
      const user = trailUser(database);
      const last = await placeOf(database, 1_200);
      await assert.rejects(user.prune(last, { pause: killedAfter(batches) }), /killed/);
      assert.equal((await storedIn(database)).length, 1_231 - (batches + 1) * 500);
      assert.equal(await verdictOf(user), '31 records after 1200, with rows left over');
      assert.deepEqual(await shownIn(database), upTo(1_201, 1_231));
      await appendMixed(database, 5, 1_230);
      assert.equal(await verdictOf(user), '36 records after 1200, with rows left over');
      assert.deepEqual(await user.prune(last), { removed: 0, deleted: 1_200 - (batches + 1) * 500, start: last });
      assert.equal(await verdictOf(user), '36 records after 1200');
      assert.deepEqual(await storedIn(database), upTo(1_201, 1_236));
    });

  it('is whole when it was interrupted before anything was deleted, or before it was recorded', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 60);
    const last = await placeOf(database, 50);
    for (const [failing, verdict] of [
      [1, '60 records after 0'],
      [2, '11 records after 50, with rows left over'],
    ] as const) {
      let transactions = 0;
      const transaction: Database['transaction'] = async (work) => {
        transactions += 1;
        if (transactions < failing) return database.transaction(work);
        return database.transaction(async (trx) => {
          await work(trx);
          throw new Error('killed');
        });
      };
      await assert.rejects(trailUser({ ...database, transaction }).prune(last), /killed/);
      assert.equal(await verdictOf(trailUser(database)), verdict);
    }
    assert.equal((await trailUser(database).prune(last)).deleted, 50);
  });

  it('is the same when the server has its transaction run again', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 60);
    const last = await placeOf(database, 40);
    let runs = 0;
    const transaction: Database['transaction'] = async (work) => {
      runs += 1;
      await appendMixed(database, 1, 59 + runs);
      if (runs === 1)
        await assert.rejects(
          database.transaction(async (trx) => {
            await work(trx);
            throw new Error('deadlock');
          }),
          /deadlock/,
        );
      await appendMixed(database, 1, 79 + runs);
      return database.transaction(work);
    };
    assert.equal((await trailUser({ ...database, transaction }).prune(last)).removed, 40);
    assert.equal(await verdictOf(trailUser(database)), '25 records after 40');
  });

  it('works beside replicas that write all the time', async () => {
    const { url, database } = await databases.migrated();
    await appendMixed(database, 1_500);
    const writer = trailUser(databases.open(url));
    let writing = true;
    let written = 0;
    const writes = (async () => {
      while (writing) {
        await writer.audit.record({ action: 'logout', actor: 'ada', target: null });
        written += 1;
        if (written % 10 === 0) writer.audit.queue({ action: 'proxy_write', actor: 'ada', target: '/x' });
        // On SQLite, whoever never pauses keeps all others from writing.
        await sleep(5);
      }
      await writer.audit.drain();
    })();
    const user = trailUser(database);
    try {
      assert.equal((await user.prune(await placeOf(database, 1_400))).deleted, 1_400);
    } finally {
      writing = false;
      await writes;
    }
    assert.ok(written > 0);
    const records = 100 + 1 + written + Math.floor(written / 10);
    assert.equal(await verdictOf(user), `${records} records after 1400`);
  });

  it('refuses one of two prunes at once, and repeats it', async () => {
    const { url, database } = await databases.migrated();
    await appendMixed(database, 700);
    const [one, other] = [trailUser(database), trailUser(databases.open(url))];
    const [few, many] = [await placeOf(database, 100), await placeOf(database, 600)];
    let begun = false;
    const transaction: Database['transaction'] = async (work) => {
      // Between the other's walk and its transaction.
      if (!begun) {
        begun = true;
        await one.prune(few);
      }
      return database.transaction(work);
    };
    const overtaken = trailUser({ ...database, transaction });
    await assert.rejects(overtaken.prune(many), /has pruned the trail meanwhile/);
    assert.equal(await verdictOf(other), '601 records after 100');
    assert.equal((await overtaken.prune(many)).removed, 500);
    assert.equal(await verdictOf(other), '102 records after 600');
  });

  it('digests what is left when another prune moves the start while it verifies', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 700);
    const [few, many] = [await placeOf(database, 100), await placeOf(database, 400)];
    let batches = 0;
    const statement: Database['statement'] = <Row>(sql: string) => {
      const read = database.statement<Row>(sql);
      if (!sql.includes('limit 250')) return read;
      const all: typeof read.all = async (...bindings) => {
        batches += 1;
        // Once it has begun to digest what it will keep.
        if (batches === 3) await trailUser(database).prune(few);
        return read.all(...bindings);
      };
      return { ...read, all };
    };
    assert.equal((await trailUser({ ...database, statement }).prune(many)).removed, 300);
    assert.equal(await verdictOf(trailUser(database)), '302 records after 400');
  });

  it('shows nobody who signed in only before it, and nothing that is put back there', async () => {
    const { database } = await databases.migrated();
    const user = trailUser(database);
    const login = (actor: string, after: number) =>
      user.audit.record({ action: 'login', actor, target: null, timestamp: seconds(after) });
    for (const [actor, after] of [
      ['ada', 1],
      ['bob', 2],
      ['ada', 3],
    ] as const)
      await login(actor, after);
    const rows = await database.knex('audit_log').select();
    await user.prune(await placeOf(database, 2), { before: seconds(3) });
    const search = auditSearch(database);
    const signedIn = async () =>
      (await search.lastLogins(seconds(0), 10)).map(({ actor, timestamp }) => [actor, timestamp]);
    assert.deepEqual(await signedIn(), [['ada', seconds(3)]]);
    await database.knex('audit_log').insert(rows.slice(0, 2));
    await database
      .knex('audit_log')
      .where({ sequence: 1 })
      .update({ recorded_at: seconds(9), actor: 'ada' });
    assert.deepEqual(await signedIn(), [['ada', seconds(3)]]);
    assert.deepEqual((await search.page({ actor: 'bob' }, 10)).records, []);
    assert.deepEqual(
      (await search.page({ changes: true }, 10)).records.map(({ sequence }) => sequence),
      [4],
    );
    assert.deepEqual(
      (await search.after(0, 10)).map(({ sequence }) => sequence),
      [3, 4],
    );
    assert.equal(await verdictOf(user), '2 records after 2, with rows left over');
  });
});
