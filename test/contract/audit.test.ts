import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type ActEvent, type AuditEvent, subjectOf } from '../../server/audit/event.ts';
import { createAuditTrail } from '../../server/audit/trail.ts';
import { parseRecordId } from '../../server/audit/verify.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { boundedLines, createLog } from '../../server/log.ts';
import {
  ADA,
  appendAll,
  appendMixedRecords,
  auditOn,
  auditRecords,
  SIGNING_KEY,
  START,
  verifiedRecords,
} from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';

const login = (index: number): ActEvent => ({ action: 'login', actor: ADA, target: `target ${index}` });
const write = (index: number): ActEvent => ({ action: 'proxy_write', actor: ADA, target: `target ${index}` });
const atBegin = <Event extends AuditEvent>(event: Event) => ({ ...event, timestamp: '2026-01-01T00:00:00.000Z' });

const at = (knex: Knex, sequence: number) => knex('audit_log').where({ sequence });
const rowAt = (knex: Knex, sequence: number): Promise<Record<string, unknown>> => at(knex, sequence).first();

const FORGED_TAG = 'A'.repeat(43);

describeOnDatabases('the audit trail', (databases) => {
  it('stores an act in the database and the log, with its subject, sequence and tag', async () => {
    const { database } = await databases.createMigrated();
    const { audit, logged } = auditOn(database, undefined, () => START);
    const events: AuditEvent[] = [
      { action: 'setting_write', actor: ADA, target: 'mail' },
      { action: 'logout', actor: ADA, target: null },
    ];
    for (const event of events) await audit.record(event);
    assert.deepEqual(await auditRecords(database), events.map(atBegin));
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

  it('has no record and no log line of an act whose transaction fails', async () => {
    const { database } = await databases.createMigrated();
    const { audit, logged } = auditOn(database, undefined, () => START);
    await audit.record(login(1));
    const failed = database.transaction(async (trx) => {
      await audit.record(login(2), trx);
      throw new Error('the act failed');
    });
    await assert.rejects(failed, { message: 'the act failed' });
    await audit.record(login(3));
    assert.deepEqual(await auditRecords(database), [login(1), login(3)].map(atBegin));
    const sequences = logged().map(({ sequence }) => sequence);
    assert.deepEqual(sequences, [1, 2]);
    assert.equal(await verifiedRecords(audit), 2);
  });

  it('stores queued records in their order, with the time of the act', async () => {
    const { database } = await databases.createMigrated();
    let now = START;
    const { audit } = auditOn(database, undefined, () => now);
    const events = Array.from({ length: 120 }, (_, index) => write(index));
    for (const event of events) void audit.queue(event);
    now += 60_000;
    await audit.drain();
    assert.deepEqual(await auditRecords(database), events.map(atBegin));
  });

  it('records an act between two batches while many records are queued', async () => {
    const { database } = await databases.createMigrated();
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
        // Without this, the event loop would starve after a failed write, because the queue then resolves immediately.
        await nextTurn();
      }
    });
    await until(() => queued >= 200);
    for (let index = 0; index < 10; index += 1) {
      const before = transactions;
      await audit.record(login(index));
      // Its own transaction, and those of the batches before and after it.
      assert.ok(transactions - before <= 3, `${transactions - before} transactions`);
    }
    flooding = false;
    await Promise.all(flood);
    assert.ok(transactions - 10 < queued / 10, `${transactions - 10} batches for ${queued} records`);
    assert.equal(await verifiedRecords(audit), queued + 10);
  });

  it('is reported as broken if a record from before a rollback replaces the later record with the same sequence', async () => {
    const { database } = await databases.createMigrated();
    const { audit } = auditOn(database);
    await appendAll(database, [1, 2, 3].map(login), { audit });
    const rolledBack = await rowAt(database.knex, 3);
    const { sequence, tag } = await rowAt(database.knex, 2);
    await at(database.knex, 3).delete();
    await database.knex('audit_head').update({ sequence, tag });
    await appendAll(database, [13, 14, 15].map(login), { audit });
    assert.equal(await verifiedRecords(audit), 5);
    await at(database.knex, 3).update(rolledBack);
    await at(database.knex, 4).update({ previous_tag: rolledBack['tag'] });
    assert.equal(await verifiedRecords(audit), 'broken at 4: the record was changed');
  });

  /** More records than the 250 of one batch. */
  const LENGTH = 260;

  const FORGERIES: [change: string, forge: (knex: Knex) => PromiseLike<unknown>, problem: RegExp][] = [
    [
      'a record was changed',
      (knex) => at(knex, 255).update({ record: JSON.stringify(atBegin(login(1))) }),
      /^broken at 255: .* was changed/,
    ],
    ['a record’s subject was cleared', (knex) => at(knex, 8).update({ subject: null }), /^broken at 8: .* columns/],
    ['a record was removed', (knex) => at(knex, 200).delete(), /^broken at 201: .* missing before/],
    ['the first record was removed', (knex) => at(knex, 1).delete(), /^broken at 2: .* missing before/],
    [
      'a record was removed and its successors were renumbered',
      async (knex) => {
        await at(knex, 250).delete();
        for (let sequence = 251; sequence <= LENGTH; sequence += 1)
          await at(knex, sequence).update({ sequence: sequence - 1 });
      },
      /^broken at 250: .* does not follow/,
    ],
    [
      'a record was added at the end',
      async (knex) => {
        const { tag, ...last } = await rowAt(knex, LENGTH);
        await knex('audit_log').insert({ ...last, sequence: LENGTH + 1, previous_tag: tag, tag: FORGED_TAG });
      },
      /^broken at 261: .* was changed/,
    ],
    [
      'a record was added before the first',
      async (knex) => knex('audit_log').insert({ ...(await rowAt(knex, 1)), sequence: 0 }),
      /^broken at 0: .* precedes the first/,
    ],
    [
      'its last records were removed',
      (knex) => knex('audit_log').where('sequence', '>', 240).delete(),
      /^broken at 241: .* are missing/,
    ],
    ['all its records were removed', (knex) => knex('audit_log').delete(), /^broken at 1: .* are missing/],
    [
      'its head names an earlier record',
      async (knex) => {
        const { sequence, tag } = await rowAt(knex, 250);
        await knex('audit_head').update({ sequence, tag });
      },
      /^broken at 260: the head .* precedes its last/,
    ],
    [
      'its head has another tag',
      (knex) => knex('audit_head').update({ tag: FORGED_TAG }),
      /^broken at 260: .* names another/,
    ],
    ['its head was removed', (knex) => knex('audit_head').delete(), /^broken at 0: the head .* is missing/],
  ];
  for (const [change, forge, problem] of FORGERIES)
    it(`is reported as broken if ${change}`, async () => {
      const { database } = await databases.createMigrated();
      await appendMixedRecords(database, LENGTH);
      const { audit } = auditOn(database);
      assert.equal(await verifiedRecords(audit), LENGTH);
      await forge(database.knex);
      assert.match(String(await verifiedRecords(audit)), problem);
    });
});

const act = { action: 'login', actor: 'ada', target: null } as const;

describeOnDatabases('the log lines of the audit trail', (databases) => {
  /** A trail whose log buffers its lines, as in production. */
  function trailOn(database: Database, level: string) {
    const out = new PassThrough();
    const log = createLog({ level, production: true }, boundedLines(out, { block: { characters: 65_536, ms: 100 } }));
    const keys = derivedKeys({ current: SIGNING_KEY }, 'audit');
    const audit = createAuditTrail({ database, keys, log, now: Date.now });
    const lines = () => {
      let text = '';
      for (let chunk = out.read(); chunk !== null; chunk = out.read()) text += chunk;
      const all = text.split('\n').filter(Boolean);
      return all.map((line) => JSON.parse(line));
    };
    return { audit, log, lines };
  }

  for (const level of ['silent', 'info'])
    it(`are written immediately at log level ${level}`, async () => {
      const { database } = await databases.createMigrated();
      const { audit, log, lines } = trailOn(database, level);
      await audit.record(act);
      log.info('buffered, or not written');
      for (let index = 0; index < 3; index += 1) audit.queue({ ...act, action: 'proxy_write' });
      await audit.drain();
      const rows = await database.knex('audit_log').orderBy('sequence').select('sequence', 'tag');
      const logged = lines().filter(({ audit: event }) => event !== undefined);
      assert.deepEqual(
        logged.map(({ sequence, tag }) => ({ sequence, tag })),
        rows,
      );
      assert.equal(logged[0].audit.actor, 'ada');
    });

  it('reveal that the trail was rolled back to an earlier state, which is intact by itself', async () => {
    const { database } = await databases.createMigrated();
    const { audit, lines } = trailOn(database, 'silent');
    for (let index = 0; index < 5; index += 1) await audit.record(act);
    const logged = lines().map(({ sequence, tag }) => parseRecordId(`${sequence}:${tag}`) ?? assert.fail());
    const [, second, third, , fifth] = logged;
    for (const recordId of logged) assert.equal((await audit.verify(recordId)).ok, true);

    await database.knex('audit_log').where('sequence', '>', 3).delete();
    await database.knex('audit_head').update({ ...third });
    for (const recordId of [undefined, second]) assert.equal((await audit.verify(recordId)).ok, true);
    const missing = { ok: false, sequence: 4, problem: 'the records from here on are missing' };
    assert.deepEqual(await audit.verify(fifth), missing);

    // Records that are appended after the rollback have other tags.
    for (let index = 0; index < 5; index += 1) await audit.record({ ...act, actor: 'eve' });
    assert.equal((await audit.verify()).ok, true);
    const replaced = { ok: false, sequence: 5, problem: 'the record is not the one that was here before' };
    assert.deepEqual(await audit.verify(fifth), replaced);
  });
});
