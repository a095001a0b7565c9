import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { auditKeyUse } from '../../server/audit/anchors.ts';
import { auditChain } from '../../server/audit/chain.ts';
import { chainWatch } from '../../server/audit/chain-watch.ts';
import { chainWalk } from '../../server/audit/verify.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import type { AuditChainState } from '../../shared/audit.ts';
import { appendMixedRecords, auditRecords, SIGNING_KEY, START, verifiedRecords } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually, until } from '../support/eventually.ts';
import { headAt, type TrailUser, trailUser, verdictOf } from '../support/pruned-trail.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const KEYS = Array.from({ length: 5 }, () => randomBytes(32).toString('base64'));
const [FIRST = '', SECOND = '', THIRD = '', FOURTH = '', FIFTH = ''] = KEYS;

const withKeys = (database: Database, current: string, previous?: string): TrailUser =>
  trailUser(database, previous === undefined ? { current } : { current, previous });
const anchorsOn = async (database: Database): Promise<number> =>
  (await auditRecords(database)).filter(({ action }) => action === 'audit_anchor').length;

const at = (knex: Knex, sequence: number) => knex('audit_log').where({ sequence });

describeOnDatabases('the audit trail after rotations of its signing key', (databases) => {
  /** Appends 100 records with each of three keys, and anchors as records 101 and 202. */
  async function rotatedTwice(): Promise<Database> {
    const { database } = await databases.createMigrated();
    await withKeys(database, FIRST).sign(100);
    for (const [current, previous, from] of [
      [SECOND, FIRST, 100],
      [THIRD, SECOND, 200],
    ] as const) {
      const user = withKeys(database, current, previous);
      await user.anchor();
      await user.sign(100, from);
    }
    return database;
  }

  it('can be verified with the last key alone, by digest where the key of a record is gone', async () => {
    const database = await rotatedTwice();
    assert.equal(await anchorsOn(database), 2);
    const byDigest = async (current: string, previous?: string) => {
      const verdict = await withKeys(database, current, previous).audit.verify();
      return verdict.ok ? verdict.byDigest : verdict;
    };
    assert.deepEqual(await byDigest(THIRD), [[1, 201]]);
    assert.deepEqual(await byDigest(THIRD, SECOND), [[1, 100]]);
    await withKeys(database, FOURTH, THIRD).anchor();
    assert.deepEqual(await byDigest(FOURTH), [[1, 302]]);
    for (const key of [FIRST, SECOND, FIFTH])
      assert.match(await verdictOf(withKeys(database, key)), /^broken at \d+: .* a key that is not available/);
  });

  it('can be verified and pruned with the last key alone after it was pruned between two rotations', async () => {
    const database = await rotatedTwice();
    const end = await headAt(database, 150);
    await assert.rejects(withKeys(database, SECOND).prune(end), /is broken at record \d+/);
    const third = withKeys(database, THIRD);
    await third.prune(end);
    assert.equal(await verdictOf(third), '153 records after 150');
    assert.equal(
      await auditKeyUse(database, third.chain).anchoredTo(),
      302,
      'the record of the prune is an anchor for the remaining records',
    );
    const fourth = withKeys(database, FOURTH, THIRD);
    await fourth.anchor();
    await fourth.sign(10);
    await withKeys(database, FIFTH, FOURTH).anchor();
    assert.equal(await verdictOf(withKeys(database, FIFTH)), '165 records after 150');
    await withKeys(database, FIFTH).prune(await headAt(database, 280));
    assert.equal(await verdictOf(withKeys(database, FIFTH)), '36 records after 280');
  });

  const EVE = { action: 'login', actor: 'eve', target: null, timestamp: '2026-01-01T00:00:00.000Z' };
  const edit = async (knex: Knex, sequence: number, from: string | RegExp, to: string): Promise<void> => {
    const { record } = await at(knex, sequence).first('record');
    const changed = record.replace(from, to);
    assert.notEqual(changed, record);
    await at(knex, sequence).update({ record: changed });
  };
  /** Only the second anchor, which covers 201 records, can be checked, because the keys of those are gone. */
  const FORGERIES: [change: string, forge: (knex: Knex) => PromiseLike<unknown>, at: number][] = [
    [
      'a record whose key is gone was replaced',
      (knex) =>
        at(knex, 7).update({
          record: JSON.stringify(EVE),
          action: EVE.action,
          actor: EVE.actor,
          recorded_at: EVE.timestamp,
          subject: '',
        }),
      201,
    ],
    [
      'the tag of a record whose key is gone was changed',
      async (knex) => {
        await at(knex, 7).update({ tag: 'A'.repeat(43) });
        await at(knex, 8).update({ previous_tag: 'A'.repeat(43) });
      },
      201,
    ],
    ['a record whose key is gone was removed', (knex) => at(knex, 7).delete(), 8],
    ['the last anchor was removed', (knex) => at(knex, 202).delete(), 1],
    ['the digest in the last anchor was changed', (knex) => edit(knex, 202, /"digest":"./, '"digest":"?'), 1],
  ];
  for (const [change, forge, sequence] of FORGERIES)
    it(`is reported as broken if ${change}`, async () => {
      const database = await rotatedTwice();
      await forge(database.knex);
      assert.match(await verdictOf(withKeys(database, THIRD)), new RegExp(`^broken at ${sequence}: `));
    });

  it('is reported as broken if its start and the record of its prune, whose key is gone, were changed', async () => {
    const database = await rotatedTwice();
    await withKeys(database, THIRD).prune(await headAt(database, 150));
    await withKeys(database, FOURTH, THIRD).anchor();
    await withKeys(database, FIFTH, FOURTH).anchor();
    const last = withKeys(database, FIFTH);
    assert.equal(await verdictOf(last), '155 records after 150');
    const { sequence, tag } = await headAt(database, 160);
    await edit(database.knex, 303, /"after":150,"after_tag":"[^"]*"/, `"after":160,"after_tag":"${tag}"`);
    await database.knex('audit_head').where({ id: 2 }).update({ sequence, tag });
    await database.knex('audit_log').where('sequence', '<=', 160).delete();
    assert.match(await verdictOf(last), /^broken at \d+: /);
  });

  it('gets no anchor while it is broken, which is logged once, and gets one within 15 minutes of its repair', async () => {
    const { database } = await databases.createMigrated();
    await withKeys(database, FIRST).sign(20);
    await at(database.knex, 7).update({ actor: 'eve' });
    const second = withKeys(database, SECOND, FIRST);
    await second.anchor();
    await second.anchoring.look();
    assert.deepEqual([second.errors.length, await anchorsOn(database)], [1, 0]);
    await at(database.knex, 7).update({ actor: 'ada' });
    await second.anchor(15 * MINUTE);
    assert.equal(await anchorsOn(database), 1);
  });

  it('gets another anchor once a replica that still signed with the previous key has stopped', async () => {
    const { database } = await databases.createMigrated();
    const first = withKeys(database, FIRST, SECOND);
    await first.sign(20);
    const second = withKeys(database, SECOND, FIRST);
    await second.anchor();
    await second.anchor();
    assert.equal(await anchorsOn(database), 1, 'nothing new to anchor');

    await first.sign(1);
    assert.match(await verdictOf(withKeys(database, SECOND)), /^broken at /);
    await second.anchor(MINUTE / 2);
    await first.sign(1);
    await second.anchor(MINUTE / 2);
    assert.equal(await anchorsOn(database), 1, 'the replica still signs');
    await second.anchor();
    assert.equal(await anchorsOn(database), 2);
    assert.match(await verdictOf(withKeys(database, SECOND)), /^24 records/);
  });
});

describeOnDatabases('the background check of the audit chain', (databases) => {
  let closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing) await close();
    closing = [];
  });

  /**
   * Starts a check with a clock that a test moves.
   * @param afterBatch called and awaited after each batch of 250 records, with the number of batches before it
   */
  function start(database: Database, afterBatch: (before: number) => Promise<unknown> = async () => {}) {
    const clock = { elapsed: 0 };
    const logged: unknown[] = [];
    const walk = chainWalk(database, auditChain(derivedKeys({ current: SIGNING_KEY }, 'audit')));
    let walks = 0;
    let batches = 0;
    const check = chainWatch({
      async walk(from, options = {}) {
        const end = await walk(from, {
          ...options,
          async pause(position) {
            await options.pause?.(position);
            batches += 1;
            await afterBatch(batches - 1);
          },
        });
        if (from.sequence === 0) walks += 1;
        return end;
      },
      head: async () => (await database.knex('audit_head').where({ id: 1 }).first('sequence')).sequence,
      log: { error: (fields: unknown) => void logged.push(fields) },
      now: () => START + clock.elapsed,
      elapsed: () => clock.elapsed,
    });
    closing.push(check.close);
    return {
      check,
      clock,
      logged,
      /** How often the complete trail has been verified. */
      walks: () => walks,
      /** Waits until the trail is reported as intact up to this record, or as broken at it. */
      async eventually(status: 'whole' | 'broken', sequence: number): Promise<AuditChainState> {
        let state: AuditChainState | undefined;
        await eventually(async () => {
          state = await check.state();
          return [state.status, state.status === 'broken' ? state.broken_at : state.verified_to];
        }, [status, sequence]);
        return state as AuditChainState;
      },
    };
  }
  async function trailOf(records: number): Promise<Database> {
    const { database } = await databases.createMigrated();
    await appendMixedRecords(database, records);
    return database;
  }

  it('reports an empty chain, and one that grows, as intact up to its head', async () => {
    const { database } = await databases.createMigrated();
    const checked = start(database);
    let length = 0;
    for (const more of [0, 1, 300, 5]) {
      if (more > 0) await appendMixedRecords(database, more, length);
      length += more;
      const as_of = '2026-01-01T00:00:00.000Z';
      const expected = { status: 'whole', verified_to: length, head: length, broken_at: null, as_of };
      assert.deepEqual(await checked.eventually('whole', length), expected);
    }
  });

  const LENGTH = 300;
  async function rollBackTo(knex: Knex, sequence: number): Promise<void> {
    await knex('audit_log').where('sequence', '>', sequence).delete();
    await knex('audit_head').update(await at(knex, sequence).first('sequence', 'tag'));
  }
  const FORGERIES: [change: string, forge: (knex: Knex) => PromiseLike<unknown>, brokenAt: number][] = [
    ['a record was changed', (knex) => at(knex, 7).update({ record: '{"action":"login"}' }), 7],
    ['a record was removed', (knex) => at(knex, 7).delete(), 8],
    ['it was rolled back to an earlier record', (knex) => rollBackTo(knex, 280), 281],
  ];
  for (const [change, forge, brokenAt] of FORGERIES)
    it(`reports a verified chain as broken if ${change}, also during and after the next full check`, async () => {
      const database = await trailOf(LENGTH);
      const { check, clock, logged, walks, eventually } = start(database);
      await eventually('whole', LENGTH);
      await forge(database.knex);
      clock.elapsed += HOUR;
      assert.equal((await eventually('broken', brokenAt)).verified_to, brokenAt - 1);
      const before = walks();
      clock.elapsed += HOUR;
      const statuses = new Set<string>();
      await until(async () => {
        statuses.add((await check.state()).status);
        return walks() > before;
      });
      await eventually('broken', brokenAt);
      assert.deepEqual([...statuses], ['broken']);
      assert.equal(logged.length, 1);
    });

  it('reports a chain as intact again once its missing record is put back', async () => {
    const database = await trailOf(LENGTH);
    const checked = start(database);
    const record = await at(database.knex, 9).first();
    await at(database.knex, 9).delete();
    await checked.eventually('broken', 10);
    await database.knex('audit_log').insert(record);
    checked.clock.elapsed += HOUR;
    await checked.eventually('whole', LENGTH);
  });

  it('reports no fault if the trail is pruned beyond the last verified record during a check', async () => {
    const database = await trailOf(600);
    const last = await headAt(database, 550);
    const checked = start(database, async (before) => before === 0 && trailUser(database).prune(last));
    await checked.eventually('whole', 601);
    assert.deepEqual(checked.logged, []);
  });

  it('reports a verified chain as broken if a shorter or longer chain from a restored backup has replaced it', async () => {
    const database = await trailOf(80);
    const checks = [start(database), start(database)] as const;
    for (const checked of checks) await checked.eventually('whole', 80);
    await rollBackTo(database.knex, 60);
    await appendMixedRecords(database, 5, 1000);
    const { audit } = trailUser(database);
    assert.equal(await verifiedRecords(audit), 65);
    // The chain is shorter than the verified one, and broken at its first missing record.
    assert.equal((await checks[0].eventually('broken', 66)).verified_to, 65);
    await appendMixedRecords(database, 35, 1005);
    assert.equal(await verifiedRecords(audit), 100);
    // The chain is longer, and broken at the first record that does not follow the verified ones.
    assert.equal((await checks[1].eventually('broken', 81)).verified_to, 80);
  });
});
