import assert from 'node:assert/strict';
import type { ActEvent, AuditEvent, Timed } from '../../server/audit/audit-event.ts';
import { isUnavailable } from '../../server/db/unavailable.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { auditOn, recordsOf, SIGNING_KEY, verifiedRecords } from '../support/vault.ts';

const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';

const act = (index: number): ActEvent => ({
  action: 'login',
  actor: ADA,
  target: `target ${index}`,
});

const NOW = Date.UTC(2026, 0, 1);
/** An event as recorded in a test whose clock is `NOW`. */
const timed = <Event extends AuditEvent>(event: Event): Timed<Event> => ({
  ...event,
  timestamp: '2026-01-01T00:00:00.000Z',
});

describeOnDatabases('the audit trail', (databases) => {
  it('records an event in the database and in the log, with its place in the chain', async () => {
    const { database } = await databases.migrated();
    const { audit, logged } = auditOn(database, undefined, () => NOW);
    await audit.record(act(1));
    await audit.record(act(2));
    assert.deepEqual(await recordsOf(database), [timed(act(1)), timed(act(2))]);
    const rows = await database.knex('audit_log').orderBy('sequence').select('sequence', 'tag', 'actor', 'action');
    assert.deepEqual(
      logged().map(({ audit: event, sequence, tag }) => ({ event, sequence, tag })),
      rows.map(({ sequence, tag }, index) => ({ event: timed(act(index + 1)), sequence, tag })),
    );
    assert.equal(await verifiedRecords(audit), 2);
  });

  it('verifies records that name what was changed beside those that do not, and notices a changed name', async () => {
    const { database } = await databases.migrated();
    const { audit } = auditOn(database, undefined, () => NOW);
    const details = { method: 'PATCH', status: 200, peer: null, changed: ['/state', '/traits/*'], state: 'inactive' };
    const write: AuditEvent = { action: 'proxy_write', actor: ADA, target: '/api/identity-admin/x', details };
    await audit.record(act(1));
    await audit.record(write);
    assert.deepEqual((await recordsOf(database)).at(-1), timed(write));
    assert.equal(await verifiedRecords(audit), 2);
    const record = JSON.stringify(timed(write)).replace('/traits/*', '/traits/a');
    await database.knex('audit_log').where({ sequence: 2 }).update({ record });
    const verdict = await audit.verify();
    assert.deepEqual([verdict.ok, !verdict.ok && verdict.sequence], [false, 2]);
  });

  it('keeps exactly four members of an identity search, whose filter may be anything', async () => {
    const { database } = await databases.migrated();
    const { audit } = auditOn(database, undefined, () => NOW);
    const search = (searchFilter: string | null): AuditEvent => ({
      action: 'identity_search',
      adminId: ADA,
      searchFilter,
    });
    const filters = [null, '', 'ada@example.com', '🔑'.repeat(255), '%\'"\\', 'O’Brien '];
    for (const filter of filters) await audit.record(search(filter));
    assert.deepEqual(await recordsOf(database), filters.map(search).map(timed));
    assert.equal(
      await database
        .knex('audit_log')
        .where({ actor: ADA, action: 'identity_search' })
        .count()
        .first()
        .then((row) => Object.values(row ?? {})[0]),
      6,
    );
    assert.equal(await verifiedRecords(audit), 6);
  });

  it('forgets a record whose transaction fails, in the database and in the log', async () => {
    const { database } = await databases.migrated();
    const { audit, logged } = auditOn(database, undefined, () => NOW);
    await audit.record(act(1));
    await assert.rejects(
      database.transaction(async (trx) => {
        await audit.record(act(2), trx);
        throw new Error('the act failed');
      }),
      { message: 'the act failed' },
    );
    await audit.record(act(3));
    assert.deepEqual(await recordsOf(database), [timed(act(1)), timed(act(3))]);
    assert.deepEqual(
      logged().map(({ sequence }) => sequence),
      [1, 2],
    );
    assert.equal(await verifiedRecords(audit), 2);
  });

  it('stays one chain when two instances append at once', async () => {
    const { url, database } = await databases.migrated();
    const trails = [auditOn(database).audit, auditOn(databases.open(url)).audit];
    await Promise.all(
      trails.flatMap((trail) => [
        // Few enough for each to have its turn in the four seconds that an act may wait.
        ...Array.from({ length: 12 }, (_, index) => trail.record(act(index))),
        ...Array.from({ length: 100 }, (_, index) => trail.queue({ ...act(index), action: 'proxy_write' })),
        trail.drain(),
      ]),
    );
    await Promise.all(trails.map((trail) => trail.drain()));
    assert.equal(await verifiedRecords(trails[0] ?? assert.fail()), 224);
  });

  it('verifies records of the previous key, and says so when a key is not at hand', async () => {
    const { database } = await databases.migrated();
    await auditOn(database).audit.record(act(1));
    const current = 'a-new-signing-key-0123456789-abcdefghijklmnop';
    const rotated = auditOn(database, { current, previous: SIGNING_KEY }).audit;
    await rotated.record(act(2));
    assert.equal(await verifiedRecords(rotated), 2);
    assert.deepEqual(await auditOn(database, { current }).audit.verify(), {
      ok: false,
      sequence: 1,
      problem: 'the record was made with a key that is not available',
    });
  });

  it('notices a record of a history that was set back, put in the place of its successor', async () => {
    const { database } = await databases.migrated();
    const { audit } = auditOn(database);
    for (const index of [1, 2, 3]) await audit.record(act(index));
    const former = await database.knex('audit_log').where({ sequence: 3 }).first();
    const { sequence, tag } = await database.knex('audit_log').where({ sequence: 2 }).first('sequence', 'tag');
    await database.knex('audit_log').where({ sequence: 3 }).delete();
    await database.knex('audit_head').update({ sequence, tag });
    for (const index of [13, 14, 15]) await audit.record(act(index));
    assert.equal(await verifiedRecords(audit), 5);
    // A genuine record in its own place, with the next one forged to follow it.
    await database.knex('audit_log').where({ sequence: 3 }).update(former);
    await database.knex('audit_log').where({ sequence: 4 }).update({ previous_tag: former.tag });
    assert.equal(await verifiedRecords(audit), 'broken at 4: the record was changed');
  });

  it('is whole when it is empty', async () => {
    const { database } = await databases.migrated();
    assert.equal(await verifiedRecords(auditOn(database).audit), 0);
  });

  it('refuses an act that it cannot record', async () => {
    const { database } = await databases.migrated();
    await database.knex.schema.renameTable('audit_log', 'elsewhere');
    await assert.rejects(auditOn(database).audit.record(act(1)), isUnavailable);
  });

  const LENGTH = 600;
  type Knex = ReturnType<typeof databases.open>['knex'];
  const copyOf = async (knex: Knex, sequence: number): Promise<Record<string, unknown>> =>
    knex('audit_log').where({ sequence }).first();

  const TAMPERING: [string, (knex: Knex) => Promise<unknown>, { sequence: number; problem: RegExp }][] = [
    [
      'a changed record',
      (knex) =>
        knex('audit_log')
          .where({ sequence: 300 })
          .update({ record: JSON.stringify(timed(act(1))) }),
      { sequence: 300, problem: /was changed/ },
    ],
    [
      'a changed column',
      (knex) => knex('audit_log').where({ sequence: 7 }).update({ actor: 'somebody else' }),
      { sequence: 7, problem: /columns/ },
    ],
    [
      'a changed action in its column',
      (knex) => knex('audit_log').where({ sequence: 8 }).update({ action: 'login_refused' }),
      { sequence: 8, problem: /columns/ },
    ],
    [
      'a changed time in its column',
      (knex) => knex('audit_log').where({ sequence: 9 }).update({ recorded_at: '2020-01-01T00:00:00.000Z' }),
      { sequence: 9, problem: /columns/ },
    ],
    [
      'a changed tag',
      (knex) =>
        knex('audit_log')
          .where({ sequence: 5 })
          .update({ tag: 'A'.repeat(43) }),
      { sequence: 5, problem: /was changed/ },
    ],
    [
      'a removed record',
      (knex) => knex('audit_log').where({ sequence: 200 }).delete(),
      { sequence: 201, problem: /missing before/ },
    ],
    [
      'a removed first record',
      (knex) => knex('audit_log').where({ sequence: 1 }).delete(),
      { sequence: 2, problem: /missing before/ },
    ],
    [
      'a removed record whose successors moved up',
      async (knex) => {
        await knex('audit_log').where({ sequence: 590 }).delete();
        for (let sequence = 591; sequence <= LENGTH; sequence += 1)
          await knex('audit_log')
            .where({ sequence })
            .update({ sequence: sequence - 1 });
      },
      { sequence: 590, problem: /does not follow/ },
    ],
    [
      'two records in exchanged places',
      async (knex) => {
        for (const [from, to] of [
          [10, 9_000],
          [11, 10],
          [9_000, 11],
        ])
          await knex('audit_log').where({ sequence: from }).update({ sequence: to });
      },
      { sequence: 10, problem: /does not follow/ },
    ],
    [
      'a record that was replaced by a copy of another',
      async (knex) => {
        const { sequence: _, ...copy } = await copyOf(knex, 20);
        await knex('audit_log').where({ sequence: 30 }).update(copy);
      },
      { sequence: 30, problem: /does not follow/ },
    ],
    [
      'a record that was added at the end',
      async (knex) => {
        const { tag, ...last } = await copyOf(knex, LENGTH);
        await knex('audit_log').insert({ ...last, sequence: LENGTH + 1, previous_tag: tag, tag: 'A'.repeat(43) });
      },
      { sequence: LENGTH + 1, problem: /was changed/ },
    ],
    [
      'a record that was added before the first',
      async (knex) => knex('audit_log').insert({ ...(await copyOf(knex, 1)), sequence: 0 }),
      { sequence: 0, problem: /precedes the first/ },
    ],
    [
      'a tail that was cut off',
      (knex) => knex('audit_log').where('sequence', '>', 580).delete(),
      { sequence: 581, problem: /missing/ },
    ],
    ['all records gone', (knex) => knex('audit_log').delete(), { sequence: 1, problem: /missing/ }],
    [
      'a head that was set back',
      async (knex) => {
        const { sequence, tag } = await copyOf(knex, 590);
        await knex('audit_head').update({ sequence, tag });
      },
      { sequence: LENGTH, problem: /head .* precedes its last/ },
    ],
    [
      'a head with another tag',
      (knex) => knex('audit_head').update({ tag: 'A'.repeat(43) }),
      { sequence: LENGTH, problem: /names another/ },
    ],
    ['a missing head', (knex) => knex('audit_head').delete(), { sequence: 0, problem: /head .* missing/ }],
  ];

  for (const [title, tamper, { sequence, problem }] of TAMPERING)
    it(`notices ${title}`, async () => {
      const { database } = await databases.migrated();
      const { audit } = auditOn(database);
      for (let index = 0; index < LENGTH; index += 1) audit.queue({ ...act(index), action: 'proxy_write' });
      await audit.drain();
      assert.equal(await verifiedRecords(audit), LENGTH);
      await tamper(database.knex);
      const verdict = await audit.verify();
      assert.ok(!verdict.ok);
      assert.equal(verdict.sequence, sequence);
      assert.match(verdict.problem, problem);
    });
});
