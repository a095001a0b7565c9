import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { auditChain, type ChainHead } from '../../server/audit/audit-chain.ts';
import { exportTrail, formatExport, type TrailExport, writerTo } from '../../server/audit/export-trail.ts';
import { trailCommands } from '../../server/audit/trail-commands.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { ADA, appendMixed } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { LATER, placeOf, trailUser } from '../support/pruned-trail.ts';
import { SIGNING_KEY } from '../support/vault.ts';

interface Line {
  sequence: number;
  key_id: string;
  previous_tag: string;
  tag: string;
  record: string;
}

describeOnDatabases('the export of the audit trail', (databases) => {
  const chain = auditChain(derivedKeys({ current: SIGNING_KEY }, 'audit'));

  /** @param between called before each batch is taken */
  async function exported(
    database: Database,
    after?: ChainHead,
    between: (batch: number) => Promise<unknown> = async () => {},
  ): Promise<TrailExport & { lines: Line[]; batches: number[] }> {
    let text = '';
    const batches: number[] = [];
    let taking = false;
    const done = await exportTrail({
      database,
      chain,
      after,
      async write(lines) {
        assert.ok(!taking, 'the next batch waits');
        taking = true;
        await between(batches.length);
        assert.match(lines, /^\{.*\}\n$/s);
        batches.push(lines.split('\n').length - 1);
        text += lines;
        taking = false;
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

  it('has every record, byte for byte as it was tagged, in batches', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 550);
    const { audit } = trailUser(database);
    const searchFilter = '🔑 "quoted"\\ \n\u2028 O’Brien ';
    await audit.record({ action: 'identity_search', adminId: ADA, searchFilter });
    const { lines, batches, ...done } = await exported(database);
    assert.deepEqual(lines, await rowsOf(database));
    assert.ok(lines.every(chain.isGenuine));
    assert.deepEqual(batches, [250, 250, 51]);
    const last = await placeOf(database, 551);
    assert.deepEqual(done, { records: 551, last, fault: undefined });
    assert.equal(formatExport(done), `Exported records: 551.\nThe last one exported is 551:${last.tag}\n`);
  });

  it('goes on after the last place of an earlier one, so that both are the whole', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 300);
    const first = await exported(database);
    const none = await exported(database, first.last);
    assert.deepEqual([none.lines, none.records, none.last], [[], 0, first.last]);
    await appendMixed(database, 300, 300);
    const second = await exported(database, first.last);
    assert.deepEqual([...first.lines, ...second.lines], await rowsOf(database));
    assert.deepEqual([second.records, second.last], [300, await placeOf(database, 600)]);
  });

  it('does not go on after a place that the trail does not have', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 30);
    const { tag } = await placeOf(database, 20);
    for (const sequence of [19, 21, 31]) await assert.rejects(exported(database, { sequence, tag }), /has no record/);
    await assert.rejects(exported(database, { sequence: 20, tag: 'A'.repeat(43) }), /has no record 20:A/);
  });

  it('ends before the record at which the trail is broken, and says where', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 400);
    await database.knex('audit_log').where({ sequence: 301 }).update({ actor: 'eve' });
    const last = await placeOf(database, 300);
    for (const after of [undefined, await placeOf(database, 100)]) {
      const { lines, ...done } = await exported(database, after);
      assert.equal(lines.at(-1)?.sequence, 300);
      assert.equal(lines.length, after === undefined ? 300 : 200);
      assert.deepEqual(done.last, last);
      assert.match(formatExport(done), /broken at record 301: the columns differ from the record\n$/);
    }
    // What was exported before is verified again, too.
    assert.deepEqual((await exported(database, await placeOf(database, 350))).records, 0);
    assert.equal((await exported(database, await placeOf(database, 350))).fault?.sequence, 301);
  });

  it('includes what is appended while it is made, up to some record', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 300);
    const { lines, last } = await exported(database, undefined, async (batch) => {
      if (batch === 0) await appendMixed(database, 20, 300);
    });
    assert.deepEqual(lines, await rowsOf(database));
    assert.equal(last.sequence, 320);
  });

  it('of a pruned trail begins with what is left, and continues an export up to there', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 100);
    const [early, last] = [await placeOf(database, 30), await placeOf(database, 40)];
    await trailUser(database).prune(last);
    const rows = await rowsOf(database);
    assert.equal(rows.length, 61);
    for (const after of [undefined, last]) assert.deepEqual((await exported(database, after)).lines, rows);
    await assert.rejects(exported(database, early), /after 30 can no longer be exported: up to 40, they were pruned/);
  });

  for (const [title, end] of [
    ['goes on when the trail is pruned up to a record that it has', 200],
    ['fails when the trail is pruned beyond what it has', 900],
  ] as const)
    it(title, async () => {
      const { database } = await databases.migrated();
      await appendMixed(database, 1_000);
      const [rows, last] = [await rowsOf(database), await placeOf(database, end)];
      const pruned = exported(database, undefined, async (batch) => {
        if (batch === 1) await trailUser(database).prune(last);
      });
      if (end === 200) {
        const { lines, fault } = await pruned;
        assert.deepEqual(lines.slice(0, 1_000), rows);
        assert.deepEqual([lines.length, fault], [1_001, undefined]);
      } else await assert.rejects(pruned, /after \d+ can no longer be exported: up to 900, they were pruned/);
    });

  it('holds no more than a batch for a reader that is slow', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 1_000);
    const slow = new PassThrough({ highWaterMark: 1_000 });
    const write = writerTo(slow);
    let most = 0;
    let taken = 0;
    const reading = (async () => {
      for await (const chunk of slow) {
        most = Math.max(most, slow.writableLength + slow.readableLength);
        taken += (chunk as Buffer).length;
      }
    })();
    let written = 0;
    let longest = 0;
    await exportTrail({
      database,
      chain,
      after: undefined,
      write: (lines) => {
        written += Buffer.byteLength(lines);
        longest = Math.max(longest, Buffer.byteLength(lines));
        return write(lines);
      },
    });
    slow.end();
    await reading;
    assert.equal(taken, written);
    assert.ok(most <= 2 * longest, `${most} bytes waiting, batches of ${longest}`);
  });

  it('ends quietly when its reader leaves, and fails where it cannot be written', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 600);
    const { audit } = trailUser(database);
    const commands = trailCommands({ database, chain, audit, now: () => LATER });
    const failing = (code: string): Writable =>
      new Writable({ write: (_, __, done) => done(Object.assign(new Error(code), { code })) });
    assert.deepEqual(await commands.export(undefined, failing('EPIPE')), { report: '', ok: false });
    await assert.rejects(commands.export(undefined, failing('ENOSPC')), /ENOSPC/);
  });
});
