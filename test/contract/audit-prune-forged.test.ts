import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { appendMixed } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { placeOf, trailUser, verdictOf } from '../support/pruned-trail.ts';

type Row = Record<string, string | number>;

const FORGED_TAG = 'A'.repeat(43);
const rowAt = async (knex: Knex, sequence: number): Promise<Row> => knex('audit_log').where({ sequence }).first();
const startAt = async (knex: Knex, sequence: number): Promise<unknown> =>
  knex('audit_head').insert({ id: 2, sequence, tag: (await rowAt(knex, sequence))['tag'] });

/** A record as an attacker would write it: its key is unknown, its columns and links are right. */
function forgedPrune(row: Row, after: number, afterTag: unknown): Row {
  const timestamp = String(row['recorded_at']);
  const details = { before: timestamp, removed: after, after, after_tag: afterTag, up_to: after, tag: '', digest: '' };
  const record = JSON.stringify({ action: 'audit_prune', actor: 'command-line', target: null, details, timestamp });
  const columns = { action: 'audit_prune', actor: 'command-line', subject: '' };
  return { ...row, ...columns, key_id: 'unknown1', record };
}

describeOnDatabases('a forged prune of the audit trail', (databases) => {
  /** On a trail of 100 records that was never pruned. */
  const UNPRUNED: [title: string, forge: (knex: Knex) => Promise<unknown>, verdict: RegExp][] = [
    ['rows are deleted', (knex) => knex('audit_log').where('sequence', '<=', 30).delete(), /^broken at 31: .* missing/],
    [
      'rows are deleted, and the start moved',
      async (knex) => {
        await startAt(knex, 30);
        await knex('audit_log').where('sequence', '<=', 30).delete();
      },
      /^broken at 31: the trail does not begin where its last prune ended/,
    ],
    ['the start is moved', (knex) => startAt(knex, 30), /^broken at 31: the trail does not begin/],
    [
      'a record in the trail is replaced by one of a prune',
      async (knex) => {
        const { tag } = await rowAt(knex, 30);
        await startAt(knex, 30);
        await knex('audit_log')
          .where({ sequence: 60 })
          .update(forgedPrune(await rowAt(knex, 60), 30, tag));
        await knex('audit_log').where('sequence', '<=', 30).delete();
      },
      /^broken at 60: the record was made with a key that is not available/,
    ],
    [
      'a record of a prune is added',
      async (knex) => {
        const [{ tag }, last] = [await rowAt(knex, 30), await rowAt(knex, 100)];
        await startAt(knex, 30);
        const added = { ...last, sequence: 101, previous_tag: last['tag'] as string, tag: FORGED_TAG };
        await knex('audit_log').insert(forgedPrune(added, 30, tag));
        await knex('audit_head').where({ id: 1 }).update({ sequence: 101, tag: FORGED_TAG });
        await knex('audit_log').where('sequence', '<=', 30).delete();
      },
      /^broken at 101: the record was made with a key that is not available/,
    ],
  ];
  for (const [title, forge, verdict] of UNPRUNED)
    it(`is detected when ${title}`, async () => {
      const { database } = await databases.migrated();
      await appendMixed(database, 100);
      const user = trailUser(database);
      await forge(database.knex);
      assert.match(await verdictOf(user), verdict);
      await assert.rejects(user.prune(await placeOf(database, 100)), /is broken|was pruned already/);
    });

  /** On a trail that was pruned up to 20 and then up to 30, with records 101 and 102. */
  const PRUNED: [title: string, forge: (knex: Knex, removed: Row[]) => Promise<unknown>, verdict: RegExp][] = [
    ['more is deleted', (knex) => knex('audit_log').where({ sequence: 31 }).delete(), /^broken at 32: .* missing/],
    [
      'more is deleted, and the start moved on',
      async (knex) => {
        const { tag } = await rowAt(knex, 40);
        await knex('audit_head').where({ id: 2 }).update({ sequence: 40, tag });
        await knex('audit_log').where('sequence', '<=', 40).delete();
      },
      /^broken at 41: the trail does not begin/,
    ],
    [
      'the start is moved back to an earlier prune, and its rows put back',
      async (knex, removed) => {
        await knex('audit_head').where({ id: 2 }).update({ sequence: 20, tag: removed[19]?.['tag'] });
        await knex('audit_log').insert(removed.slice(20));
      },
      /^broken at 21: the trail does not begin/,
    ],
    [
      'the start is removed, and all rows put back',
      async (knex, removed) => {
        await knex('audit_head').where({ id: 2 }).delete();
        await knex('audit_log').insert(removed);
      },
      /^broken at 1: the trail does not begin/,
    ],
    [
      'the record of the prune says something else',
      async (knex) => {
        const { record } = await rowAt(knex, 102);
        await knex('audit_log')
          .where({ sequence: 102 })
          .update({ record: String(record).replace('"after":30', '"after":31') });
      },
      /^broken at 102: the record was changed/,
    ],
    [
      'the record of the earlier prune stands in the place of the later one',
      async (knex, removed) => {
        const { sequence: _, ...earlier } = await rowAt(knex, 101);
        await knex('audit_log').where({ sequence: 102 }).update(earlier);
        await knex('audit_head').where({ id: 1 }).update({ tag: earlier['tag'] });
        await knex('audit_head').where({ id: 2 }).update({ sequence: 20, tag: removed[19]?.['tag'] });
        await knex('audit_log').insert(removed.slice(20));
      },
      /^broken at 102: the record does not follow/,
    ],
    [
      'the record of the prune is removed with the end of the trail',
      async (knex) => {
        await knex('audit_log').where({ sequence: 102 }).delete();
        const { tag } = await rowAt(knex, 101);
        await knex('audit_head').where({ id: 1 }).update({ sequence: 101, tag });
      },
      /^broken at 31: the trail does not begin/,
    ],
  ];
  for (const [title, forge, verdict] of PRUNED)
    it(`is detected on a trail that was pruned before when ${title}`, async () => {
      const { database } = await databases.migrated();
      await appendMixed(database, 100);
      const user = trailUser(database);
      const removed: Row[] = await database.knex('audit_log').orderBy('sequence').limit(30);
      for (const end of [20, 30]) await user.prune(await placeOf(database, end));
      assert.equal(await verdictOf(user), '72 records after 30');
      await forge(database.knex, removed);
      assert.match(await verdictOf(user), verdict);
    });
});
