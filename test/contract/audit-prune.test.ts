import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { auditSearch } from '../../server/audit/search.ts';
import type { Database } from '../../server/db/database.ts';
import { appendMixedRecords, auditRecords } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { DAY, headAt, LATER, seconds, storedIn, trailUser, verdictOf } from '../support/pruned-trail.ts';

const visibleIn = async (database: Database): Promise<number[]> =>
  (await auditSearch(database).page({}, 5_000)).records.map(({ sequence }) => sequence).sort((a, b) => a - b);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describeOnDatabases('audit:prune', (databases) => {
  async function trailOf(records: number) {
    const { url, database } = await databases.createMigrated();
    await appendMixedRecords(database, records);
    return { url, database, user: trailUser(database) };
  }

  it('removes the records before a date, records the prune, and leaves an intact trail that can grow', async () => {
    const { database, user } = await trailOf(320);
    const last = await headAt(database, 160);
    // There are four records a second, so that the one at index 160 is the first of second 40.
    const pruned = await user.prune(await headAt(database, 320), { before: seconds(40) });
    assert.deepEqual(pruned, { removed: 160, deleted: 160, start: last });
    assert.deepEqual(await storedIn(database), range(161, 321));
    const { details, action, actor, target } = (await auditRecords(database)).at(-1) ?? {};
    assert.deepEqual([action, actor, target], ['audit_prune', 'command-line', null]);
    const { digest, ...others } = details as Record<string, unknown>;
    assert.match(String(digest), /^[\w-]{43}$/);
    assert.deepEqual(others, {
      before: seconds(40),
      removed: 160,
      after: 160,
      after_tag: last.tag,
      up_to: 320,
      tag: (await headAt(database, 320)).tag,
      key_since: seconds(0),
    });
    assert.equal(await verdictOf(user), '161 records after 160');
    await appendMixedRecords(database, 100, 320);
    assert.equal(await verdictOf(user), '261 records after 160');
    assert.deepEqual(await visibleIn(database), range(161, 421));
  });

  it('removes no record after the last exported one, and none after a record that is too recent', async () => {
    const { database, user } = await trailOf(120);
    assert.equal((await user.prune(await headAt(database, 30))).removed, 30);
    // The clock stepped back half a minute at index 49, so that this record looks older than those before it.
    assert.equal((await user.prune(await headAt(database, 120), { before: seconds(12) })).removed, 18);
    assert.deepEqual(await storedIn(database), range(49, 122));
    assert.equal(await verdictOf(user), '74 records after 48');
  });

  it('leaves only its own record in a trail that was exported completely, and removes nothing when repeated', async () => {
    const { database, user } = await trailOf(40);
    const last = await headAt(database, 40);
    assert.equal((await user.prune(last)).removed, 40);
    assert.deepEqual(await storedIn(database), [41]);
    assert.deepEqual(await user.prune(last), { removed: 0, deleted: 0, start: last });
    assert.equal(await verdictOf(user, last), '1 records after 40', 'the tag of the last pruned record is stored');
    const other = { ...last, tag: 'A'.repeat(43) };
    assert.match(await verdictOf(user, other), /^broken at 40: the record is not the one that was here before/);
  });

  it('removes nothing if the date is too recent, the exported record is not in the trail or the trail is broken', async () => {
    const { database, user } = await trailOf(60);
    const last = await headAt(database, 60);
    const young = new Date(LATER - 90 * DAY + 1).toISOString();
    await assert.rejects(user.prune(last, { before: young }), /the last 90 days are kept/);
    for (const exported of [
      { ...last, tag: 'A'.repeat(43) },
      { ...last, sequence: 59 },
      { ...last, sequence: 61 },
    ])
      await assert.rejects(user.prune(exported), new RegExp(`has no record ${exported.sequence}:`));
    const intact = await database.knex('audit_log').where({ sequence: 50 }).first();
    await database.knex('audit_log').where({ sequence: 50 }).update({ actor: 'eve' });
    await assert.rejects(user.prune(await headAt(database, 10)), /broken at record 50, so it is not pruned/);
    assert.deepEqual(await storedIn(database), range(1, 60));
    await database.knex('audit_log').where({ sequence: 50 }).update(intact);

    const earlier = await headAt(database, 19);
    const oldest = new Date(LATER - 90 * DAY).toISOString();
    assert.equal((await user.prune(await headAt(database, 20), { before: oldest })).removed, 20);
    await assert.rejects(user.prune(earlier), /19 was pruned already/);
  });

  it('leaves an intact trail if it is killed between two batches, and deletes the rest when repeated', async () => {
    const { database, user } = await trailOf(1_230);
    const last = await headAt(database, 1_200);
    const pause = () => Promise.reject(new Error('killed'));
    await assert.rejects(user.prune(last, { pause }), /killed/);
    assert.equal((await storedIn(database)).length, 1_231 - 500);
    assert.equal(await verdictOf(user), '31 records after 1200, with rows left over');
    assert.deepEqual(await visibleIn(database), range(1_201, 1_231));
    await appendMixedRecords(database, 5, 1_230);
    assert.equal(await verdictOf(user), '36 records after 1200, with rows left over');
    assert.deepEqual(await user.prune(last), { removed: 0, deleted: 700, start: last });
    assert.equal(await verdictOf(user), '36 records after 1200');
    assert.deepEqual(await storedIn(database), range(1_201, 1_236));
  });

  it('leaves an intact trail if it is killed before its record is stored, or before anything is deleted', async () => {
    const { database } = await trailOf(60);
    const last = await headAt(database, 50);
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

  it('makes pruned sign-ins invisible even if their rows are put back, and deletes such rows when repeated', async () => {
    const { database } = await databases.createMigrated();
    const user = trailUser(database);
    for (const [index, actor] of ['ada', 'bob', 'ada'].entries())
      await user.audit.record({ action: 'login', actor, target: null, timestamp: seconds(index + 1) });
    const rows = await database.knex('audit_log').select();
    const last = await headAt(database, 2);
    await user.prune(last, { before: seconds(3) });
    const search = auditSearch(database);
    const signedIn = async () =>
      (await search.lastLogins(seconds(0), 10)).map(({ actor, timestamp }) => [actor, timestamp]);
    assert.deepEqual(await signedIn(), [['ada', seconds(3)]]);
    await database
      .knex('audit_log')
      .insert(rows.slice(0, 2).map((row) => ({ ...row, recorded_at: seconds(9), key_id: 'unknown1' })));
    assert.deepEqual(await signedIn(), [['ada', seconds(3)]]);
    assert.deepEqual((await search.page({ actor: 'bob' }, 10)).records, []);
    const sequences = (await search.after(0, 10)).map(({ sequence }) => sequence);
    assert.deepEqual(sequences, [3, 4]);
    assert.equal(await verdictOf(user), '2 records after 2, with rows left over');
    assert.deepEqual(await user.prune(last), { removed: 0, deleted: 2, start: last });
    assert.equal((await storedIn(database))[0], 3);
  });
});

type Row = Record<string, string | number>;

const FORGED_TAG = 'A'.repeat(43);
const at = (knex: Knex, sequence: number) => knex('audit_log').where({ sequence });
const rowAt = async (knex: Knex, sequence: number): Promise<Row> => at(knex, sequence).first();
const deleteUpTo = async (knex: Knex, sequence: number): Promise<unknown> =>
  knex('audit_log').where('sequence', '<=', sequence).delete();
const moveHead = async (knex: Knex, { sequence, tag }: Row): Promise<unknown> =>
  knex('audit_head').where({ id: 1 }).update({ sequence, tag });
const moveStart = async (knex: Knex, { sequence, tag }: Row): Promise<unknown> =>
  knex('audit_head').insert({ id: 2, sequence, tag }).onConflict('id').merge();
async function moveStartAndDelete(knex: Knex, sequence: number): Promise<void> {
  await moveStart(knex, await rowAt(knex, sequence));
  await deleteUpTo(knex, sequence);
}

/**
 * Turns a row into that of a prune, with an unknown key and correct columns and links.
 * @param last the last row that it removed
 */
function forgedPrune(row: Row, last: Row): Row {
  const { sequence: after, tag: after_tag } = last;
  const timestamp = String(row['recorded_at']);
  const details = { before: timestamp, removed: after, after, after_tag, up_to: after, tag: '', digest: '' };
  const record = JSON.stringify({ action: 'audit_prune', actor: 'command-line', target: null, details, timestamp });
  return { ...row, action: 'audit_prune', actor: 'command-line', subject: '', key_id: 'unknown1', record };
}

type Forgery = [change: string, forge: (knex: Knex, removed: Row[]) => Promise<unknown>, verdict: RegExp];

describeOnDatabases('the verification of the audit trail', (databases) => {
  /** Changes of a trail of 100 records that was never pruned. */
  const UNPRUNED: Forgery[] = [
    ['rows at its beginning were deleted', (knex) => deleteUpTo(knex, 30), /^broken at 31: .* missing/],
    [
      'rows at its beginning were deleted and its start was moved past them',
      (knex) => moveStartAndDelete(knex, 30),
      /^broken at 31: the trail does not begin where its last prune ended/,
    ],
    [
      'its start was moved',
      async (knex) => moveStart(knex, await rowAt(knex, 30)),
      /^broken at 31: the trail does not begin/,
    ],
    [
      'a record was replaced by a forged record of a prune',
      async (knex) => {
        await at(knex, 60).update(forgedPrune(await rowAt(knex, 60), await rowAt(knex, 30)));
        await moveStartAndDelete(knex, 30);
      },
      /^broken at 60: the record was made with a key that is not available/,
    ],
    [
      'a forged record of a prune was appended',
      async (knex) => {
        const last = await rowAt(knex, 100);
        const next: Row = { ...last, sequence: 101, previous_tag: last['tag'] ?? '', tag: FORGED_TAG };
        await knex('audit_log').insert(forgedPrune(next, await rowAt(knex, 30)));
        await moveHead(knex, next);
        await moveStartAndDelete(knex, 30);
      },
      /^broken at 101: the record was made with a key that is not available/,
    ],
  ];
  for (const [change, forge, verdict] of UNPRUNED)
    it(`reports a trail that was never pruned as broken if ${change}`, async () => {
      const { database } = await databases.createMigrated();
      await appendMixedRecords(database, 100);
      const user = trailUser(database);
      await forge(database.knex, []);
      assert.match(await verdictOf(user), verdict);
      await assert.rejects(user.prune(await headAt(database, 100)), /is broken|was pruned already/);
    });

  async function putBack(knex: Knex, removed: Row[]): Promise<void> {
    await moveStart(knex, removed[19] ?? assert.fail());
    await knex('audit_log').insert(removed.slice(20));
  }
  /** Changes of a trail that was pruned up to 20 and then up to 30, which records 101 and 102 state. */
  const PRUNED: Forgery[] = [
    ['one more row was deleted', async (knex) => at(knex, 31).delete(), /^broken at 32: .* missing/],
    [
      'more rows were deleted and its start was moved past them',
      (knex) => moveStartAndDelete(knex, 40),
      /^broken at 41: the trail does not begin/,
    ],
    [
      'its start was moved back to an earlier prune and the rows in between were put back',
      putBack,
      /^broken at 21: the trail does not begin/,
    ],
    [
      'its start was removed and all rows were put back',
      async (knex, removed) => {
        await knex('audit_head').where({ id: 2 }).delete();
        await knex('audit_log').insert(removed);
      },
      /^broken at 1: the trail does not begin/,
    ],
    [
      'the record of the prune was changed',
      async (knex) => {
        const { record } = await rowAt(knex, 102);
        await at(knex, 102).update({ record: String(record).replace('"after":30', '"after":31') });
      },
      /^broken at 102: the record was changed/,
    ],
    [
      'the record of the later prune was replaced by that of the earlier one',
      async (knex, removed) => {
        const earlier = { ...(await rowAt(knex, 101)), sequence: 102 };
        await at(knex, 102).update(earlier);
        await moveHead(knex, earlier);
        await putBack(knex, removed);
      },
      /^broken at 102: the record does not follow/,
    ],
    [
      'its last record, that of the prune, was removed',
      async (knex) => {
        await at(knex, 102).delete();
        await moveHead(knex, await rowAt(knex, 101));
      },
      /^broken at 31: the trail does not begin/,
    ],
  ];
  for (const [change, forge, verdict] of PRUNED)
    it(`reports a pruned trail as broken if ${change}`, async () => {
      const { database } = await databases.createMigrated();
      await appendMixedRecords(database, 100);
      const user = trailUser(database);
      const removed: Row[] = await database.knex('audit_log').orderBy('sequence').limit(30);
      for (const end of [20, 30]) await user.prune(await headAt(database, end));
      assert.equal(await verdictOf(user), '72 records after 30');
      await forge(database.knex, removed);
      assert.match(await verdictOf(user), verdict);
    });
});
