import assert from 'node:assert/strict';
import { auditChain, type ChainHead } from '../../server/audit/chain.ts';
import { exportTrail, formatExport, type TrailExport } from '../../server/audit/commands.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { ADA, appendMixedRecords, SIGNING_KEY } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { headAt, trailUser } from '../support/pruned-trail.ts';

interface Line {
  sequence: number;
  key_id: string;
  previous_tag: string;
  tag: string;
  record: string;
}

describeOnDatabases('audit:export', (databases) => {
  const chain = auditChain(derivedKeys({ current: SIGNING_KEY }, 'audit'));

  async function trailOf(records: number): Promise<Database> {
    const { database } = await databases.createMigrated();
    await appendMixedRecords(database, records);
    return database;
  }

  /** @param between called before each batch is written */
  async function exported(
    database: Database,
    after?: ChainHead,
    between: (batch: number) => Promise<unknown> = async () => {},
  ): Promise<TrailExport & { lines: Line[]; batches: number[] }> {
    let text = '';
    const batches: number[] = [];
    let writing = false;
    const done = await exportTrail({
      database,
      chain,
      after,
      async write(lines) {
        assert.ok(!writing, 'a batch is written before the previous one was');
        writing = true;
        await between(batches.length);
        assert.match(lines, /^\{.*\}\n$/s);
        batches.push(lines.split('\n').length - 1);
        text += lines;
        writing = false;
      },
    });
    const lines = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
    return { ...done, lines, batches };
  }

  const rowsOf = ({ knex }: Database): Promise<Line[]> =>
    knex('audit_log').orderBy('sequence').select('sequence', 'key_id', 'previous_tag', 'tag', 'record');

  it('writes every record byte for byte as it was tagged, in batches', async () => {
    const database = await trailOf(300);
    const { audit } = trailUser(database);
    await audit.record({ action: 'identity_search', adminId: ADA, searchFilter: '🔑 "quoted"\\ \n\u2028 O’Brien ' });
    const { lines, batches, ...done } = await exported(database);
    assert.deepEqual(lines, await rowsOf(database));
    assert.ok(lines.every(chain.isGenuine));
    assert.deepEqual(batches, [250, 51]);
    const last = await headAt(database, 301);
    assert.deepEqual(done, { records: 301, last, fault: undefined });
    assert.equal(formatExport(done), `Exported records: 301.\nThe last one exported is 301:${last.tag}\n`);
  });

  it('continues after the last record of an earlier export, so that both together are complete', async () => {
    const database = await trailOf(300);
    const first = await exported(database);
    const none = await exported(database, first.last);
    assert.deepEqual([none.lines, none.records, none.last], [[], 0, first.last]);
    await appendMixedRecords(database, 300, 300);
    const second = await exported(database, first.last);
    assert.deepEqual([...first.lines, ...second.lines], await rowsOf(database));
    assert.deepEqual([second.records, second.last], [300, await headAt(database, 600)]);
  });

  it('refuses to continue after a record that is not in the trail', async () => {
    const database = await trailOf(30);
    const { tag } = await headAt(database, 20);
    for (const sequence of [19, 21, 31]) await assert.rejects(exported(database, { sequence, tag }), /has no record/);
    await assert.rejects(exported(database, { sequence: 20, tag: 'A'.repeat(43) }), /has no record 20:A/);
  });

  it('ends before the record at which the trail is broken, and names it', async () => {
    const database = await trailOf(350);
    await database.knex('audit_log').where({ sequence: 301 }).update({ actor: 'eve' });
    const last = await headAt(database, 300);
    for (const after of [undefined, await headAt(database, 100)]) {
      const { lines, ...done } = await exported(database, after);
      assert.deepEqual([lines.length, lines.at(-1)?.sequence], [after === undefined ? 300 : 200, 300]);
      assert.deepEqual(done.last, last);
      assert.match(formatExport(done), /broken at record 301: the columns differ from the record\n$/);
    }
    // Records of an earlier export are verified again.
    const { records, fault } = await exported(database, await headAt(database, 340));
    assert.deepEqual([records, fault?.sequence], [0, 301]);
  });

  it('starts with the first remaining record of a pruned trail, and refuses to continue an export that lacks pruned records', async () => {
    const database = await trailOf(100);
    const [early, last] = [await headAt(database, 30), await headAt(database, 40)];
    await trailUser(database).prune(last);
    const rows = await rowsOf(database);
    assert.equal(rows.length, 61);
    for (const after of [undefined, last]) assert.deepEqual((await exported(database, after)).lines, rows);
    await assert.rejects(exported(database, early), /after 30 can no longer be exported: those up to 40 were pruned/);
  });

  it('continues while the trail is pruned up to an exported record, and fails if it is pruned beyond the last exported one', async () => {
    const database = await trailOf(800);
    const rows = await rowsOf(database);
    const prunedUpTo = async (end: number) => {
      const last = await headAt(database, end);
      return exported(database, undefined, async (batch) => batch === 1 && trailUser(database).prune(last));
    };
    const { lines, fault } = await prunedUpTo(200);
    assert.deepEqual(lines.slice(0, 800), rows);
    assert.deepEqual([lines.length, fault], [801, undefined]);
    await assert.rejects(prunedUpTo(790), /after \d+ can no longer be exported: those up to 790 were pruned/);
  });
});
