import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { ActEvent, AuditEvent } from '../../server/audit/event.ts';
import { subjectOf } from '../../server/audit/event.ts';
import { ADA, appendAll, appendMixed, BEGIN } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import { auditOn, recordsOf, verifiedRecords } from '../support/vault.ts';

const login = (index: number): ActEvent => ({ action: 'login', actor: ADA, target: `target ${index}` });
const write = (index: number): ActEvent => ({ action: 'proxy_write', actor: ADA, target: `target ${index}` });
const atBegin = <Event extends AuditEvent>(event: Event) => ({ ...event, timestamp: '2026-01-01T00:00:00.000Z' });

const FORGED_TAG = 'A'.repeat(43);

describeOnDatabases('the audit trail', (databases) => {
  it('records an act in the database and in the log, with its subject and its place in the chain', async () => {
    const { database } = await databases.migrated();
    const { audit, logged } = auditOn(database, undefined, () => BEGIN);
    const events: AuditEvent[] = [
      { action: 'setting_write', actor: ADA, target: 'mail' },
      { action: 'logout', actor: ADA, target: null },
    ];
    for (const event of events) await audit.record(event);
    assert.deepEqual(await recordsOf(database), events.map(atBegin));
    const rows = await database.knex('audit_log').orderBy('sequence').select('sequence', 'tag', 'subject');
    assert.deepEqual(
      rows.map(({ subject }) => subject),
      events.map((event) => subjectOf(event) ?? ''),
    );
    assert.deepEqual(
      logged().map(({ audit: event, sequence, tag }) => ({ event, sequence, tag })),
      rows.map(({ sequence, tag }, index) => ({ event: atBegin(events[index] as AuditEvent), sequence, tag })),
    );
    assert.equal(await verifiedRecords(audit), 2);
  });

  it('forgets a record whose transaction fails, in the database and in the log', async () => {
    const { database } = await databases.migrated();
    const { audit, logged } = auditOn(database, undefined, () => BEGIN);
    await audit.record(login(1));
    const failed = database.transaction(async (trx) => {
      await audit.record(login(2), trx);
      throw new Error('the act failed');
    });
    await assert.rejects(failed, { message: 'the act failed' });
    await audit.record(login(3));
    assert.deepEqual(await recordsOf(database), [login(1), login(3)].map(atBegin));
    assert.deepEqual(
      logged().map(({ sequence }) => sequence),
      [1, 2],
    );
    assert.equal(await verifiedRecords(audit), 2);
  });

  it('stores queued records in order, with the time of the act', async () => {
    const { database } = await databases.migrated();
    let now = BEGIN;
    const { audit } = auditOn(database, undefined, () => now);
    const events = Array.from({ length: 120 }, (_, index) => write(index));
    for (const event of events) void audit.queue(event);
    now += 60_000;
    await audit.drain();
    assert.deepEqual(await recordsOf(database), events.map(atBegin));
  });

  it('lets an act append between two batches of a flood of queued records', async () => {
    const { database } = await databases.migrated();
    let transactions = 0;
    const { audit } = auditOn({
      ...database,
      transaction: (work) => {
        transactions += 1;
        return database.transaction(work);
      },
    });
    let flooding = true;
    let queued = 0;
    const flood = Array.from({ length: 64 }, async () => {
      for (; flooding; queued += 1) {
        await audit.queue(write(queued));
        // A queue whose last write failed resolves at once: without this, nothing else would ever run.
        await turn();
      }
    });
    await until(() => queued >= 200);
    for (let index = 0; index < 10; index += 1) {
      const before = transactions;
      await audit.record(login(index));
      const [own, current, next] = [1, 1, 1];
      assert.ok(transactions - before <= own + current + next, `${transactions - before} transactions`);
    }
    flooding = false;
    await Promise.all(flood);
    assert.ok(transactions - 10 < queued / 10, `${transactions - 10} batches for ${queued} records`);
    assert.equal(await verifiedRecords(audit), queued + 10);
  });

  it('detects a genuine record of a history that was set back, put in the place of its successor', async () => {
    const { database } = await databases.migrated();
    const { audit } = auditOn(database);
    await appendAll(database, [1, 2, 3].map(login), { audit });
    const former = await rowAt(database.knex, 3);
    const { sequence, tag } = await rowAt(database.knex, 2);
    await database.knex('audit_log').where({ sequence: 3 }).delete();
    await database.knex('audit_head').update({ sequence, tag });
    await appendAll(database, [13, 14, 15].map(login), { audit });
    assert.equal(await verifiedRecords(audit), 5);
    // The next record is forged to follow it.
    await database.knex('audit_log').where({ sequence: 3 }).update(former);
    await database.knex('audit_log').where({ sequence: 4 }).update({ previous_tag: former['tag'] });
    assert.equal(await verifiedRecords(audit), 'broken at 4: the record was changed');
  });

  /** The trail is read in batches of 250. */
  const LENGTH = 260;
  const at = (knex: Knex, sequence: number) => knex('audit_log').where({ sequence });
  const rowAt = (knex: Knex, sequence: number): Promise<Record<string, unknown>> => at(knex, sequence).first();

  const FORGERIES: [title: string, forge: (knex: Knex) => PromiseLike<unknown>, found: RegExp][] = [
    [
      'a changed record',
      (knex) => at(knex, 255).update({ record: JSON.stringify(atBegin(login(1))) }),
      /^broken at 255: .* was changed/,
    ],
    ['a changed column', (knex) => at(knex, 7).update({ actor: 'somebody else' }), /^broken at 7: .* columns/],
    ['a cleared subject', (knex) => at(knex, 8).update({ subject: null }), /^broken at 8: .* columns/],
    ['a removed record', (knex) => at(knex, 200).delete(), /^broken at 201: .* missing before/],
    ['a removed first record', (knex) => at(knex, 1).delete(), /^broken at 2: .* missing before/],
    [
      'a removed record whose successors moved up',
      async (knex) => {
        await at(knex, 250).delete();
        for (let sequence = 251; sequence <= LENGTH; sequence += 1)
          await at(knex, sequence).update({ sequence: sequence - 1 });
      },
      /^broken at 250: .* does not follow/,
    ],
    [
      'a record added at the end',
      async (knex) => {
        const { tag, ...last } = await rowAt(knex, LENGTH);
        await knex('audit_log').insert({ ...last, sequence: LENGTH + 1, previous_tag: tag, tag: FORGED_TAG });
      },
      /^broken at 261: .* was changed/,
    ],
    [
      'a record added before the first',
      async (knex) => knex('audit_log').insert({ ...(await rowAt(knex, 1)), sequence: 0 }),
      /^broken at 0: .* precedes the first/,
    ],
    [
      'a tail cut off',
      (knex) => knex('audit_log').where('sequence', '>', 240).delete(),
      /^broken at 241: .* are missing/,
    ],
    ['all records removed', (knex) => knex('audit_log').delete(), /^broken at 1: .* are missing/],
    [
      'a head set back',
      async (knex) => {
        const { sequence, tag } = await rowAt(knex, 250);
        await knex('audit_head').update({ sequence, tag });
      },
      /^broken at 260: the head .* precedes its last/,
    ],
    [
      'a head with another tag',
      (knex) => knex('audit_head').update({ tag: FORGED_TAG }),
      /^broken at 260: .* names another/,
    ],
    ['a removed head', (knex) => knex('audit_head').delete(), /^broken at 0: the head .* is missing/],
  ];
  for (const [title, forge, found] of FORGERIES)
    it(`detects ${title}`, async () => {
      const { database } = await databases.migrated();
      await appendMixed(database, LENGTH);
      const { audit } = auditOn(database);
      assert.equal(await verifiedRecords(audit), LENGTH);
      await forge(database.knex);
      assert.match(String(await verifiedRecords(audit)), found);
    });
});
