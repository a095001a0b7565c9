import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { auditKeyUse } from '../../server/audit/anchors.ts';
import type { Database } from '../../server/db/database.ts';
import { appendMixed } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import {
  HOUR,
  placeOf,
  type TrailUser,
  threeKeys,
  trailUser,
  verdictOf,
  type WatchedChain,
  watchedChain,
} from '../support/pruned-trail.ts';
import { recordsOf } from '../support/vault.ts';

const MINUTE = 60_000;
const KEYS = Array.from({ length: 5 }, () => randomBytes(32).toString('base64'));
const [FIRST = '', SECOND = '', THIRD = '', FOURTH = '', FIFTH = ''] = KEYS;

const withKeys = (database: Database, current: string, previous?: string): TrailUser =>
  trailUser(database, previous === undefined ? { current } : { current, previous });
const anchorsOn = async (database: Database): Promise<number> =>
  (await recordsOf(database)).filter(({ action }) => action === 'audit_anchor').length;
const anchoredTo = (database: Database, { chain }: TrailUser): Promise<number> =>
  auditKeyUse(database, chain).anchoredTo();
const at = (knex: Knex, sequence: number) => knex('audit_log').where({ sequence });

describeOnDatabases('the audit trail over rotations of its key', (databases) => {
  /** 302 records: the anchors are at 101 and 202. */
  async function rotatedTwice(): Promise<Database> {
    const { database } = await databases.migrated();
    await threeKeys(database, KEYS);
    return database;
  }

  it('verifies with the last key alone, and tells which records only a digest vouches for', async () => {
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

  it('verifies with the last key alone when it was pruned in between, and is pruned by no other key', async () => {
    const database = await rotatedTwice();
    const end = await placeOf(database, 150);
    await assert.rejects(withKeys(database, SECOND).prune(end), /is broken at record \d+/);
    const third = withKeys(database, THIRD);
    await third.prune(end);
    assert.equal(await verdictOf(third), '153 records after 150');
    assert.equal(await anchoredTo(database, third), 302, 'the record of the prune vouches for what it leaves');
    const fourth = withKeys(database, FOURTH, THIRD);
    await fourth.anchor();
    await fourth.sign(10);
    await withKeys(database, FIFTH, FOURTH).anchor();
    assert.equal(await verdictOf(withKeys(database, FIFTH)), '165 records after 150');
    await withKeys(database, FIFTH).prune(await placeOf(database, 280));
    assert.equal(await verdictOf(withKeys(database, FIFTH)), '36 records after 280');
  });

  const EVE = { action: 'login', actor: 'eve', target: null, timestamp: '2026-01-01T00:00:00.000Z' };
  const edit = async (knex: Knex, sequence: number, from: string | RegExp, to: string): Promise<void> => {
    const { record } = await at(knex, sequence).first('record');
    const changed = record.replace(from, to);
    assert.notEqual(changed, record);
    await at(knex, sequence).update({ record: changed });
  };
  /** Only the second anchor, over 201 records, can be checked: the keys of the records before it are gone. */
  const FORGERIES: [title: string, forge: (knex: Knex) => PromiseLike<unknown>, at: number][] = [
    [
      'a replaced record',
      (knex) =>
        at(knex, 7).update({
          ...{ record: JSON.stringify(EVE), action: EVE.action, actor: EVE.actor },
          ...{ recorded_at: EVE.timestamp, subject: '' },
        }),
      201,
    ],
    ['a changed column', (knex) => at(knex, 7).update({ actor: 'eve' }), 7],
    [
      'changed tags',
      async (knex) => {
        await at(knex, 7).update({ tag: 'A'.repeat(43) });
        await at(knex, 8).update({ previous_tag: 'A'.repeat(43) });
      },
      201,
    ],
    ['a removed record', (knex) => at(knex, 7).delete(), 8],
    ['a removed anchor', (knex) => at(knex, 202).delete(), 1],
    ['an anchor with another digest', (knex) => edit(knex, 202, /"digest":"./, '"digest":"?'), 1],
  ];
  for (const [title, forge, sequence] of FORGERIES)
    it(`detects, among records whose key is gone, ${title}`, async () => {
      const database = await rotatedTwice();
      await forge(database.knex);
      assert.match(await verdictOf(withKeys(database, THIRD)), new RegExp(`^broken at ${sequence}: `));
    });

  it('detects another beginning, for which the record of a prune was changed whose key is gone', async () => {
    const database = await rotatedTwice();
    await withKeys(database, THIRD).prune(await placeOf(database, 150));
    await withKeys(database, FOURTH, THIRD).anchor();
    await withKeys(database, FIFTH, FOURTH).anchor();
    const last = withKeys(database, FIFTH);
    assert.equal(await verdictOf(last), '155 records after 150');
    const { sequence, tag } = await placeOf(database, 160);
    await edit(database.knex, 303, /"after":150,"after_tag":"[^"]*"/, `"after":160,"after_tag":"${tag}"`);
    await database.knex('audit_head').where({ id: 2 }).update({ sequence, tag });
    await database.knex('audit_log').where('sequence', '<=', 160).delete();
    assert.match(await verdictOf(last), /^broken at \d+: /);
  });

  it('is not sealed by a key that finds it broken, which is logged, and not read again for a quarter of an hour', async () => {
    const { database } = await databases.migrated();
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

  it('is sealed again when a replica still signs with the previous key, once that replica has stopped', async () => {
    const { database } = await databases.migrated();
    const first = withKeys(database, FIRST, SECOND);
    await first.sign(20);
    const second = withKeys(database, SECOND, FIRST);
    await second.anchor();
    await second.anchor();
    assert.equal(await anchorsOn(database), 1, 'nothing new to seal');

    await first.sign(1);
    assert.match(await verdictOf(withKeys(database, SECOND)), /^broken at /);
    await second.anchor(MINUTE / 2);
    await first.sign(1);
    await second.anchor(MINUTE / 2);
    assert.equal(await anchorsOn(database), 1, 'it still signs');
    await second.anchor();
    assert.equal(await anchorsOn(database), 2);
    assert.match(await verdictOf(withKeys(database, SECOND)), /^24 records/);
  });
});

describeOnDatabases('the watch over the audit chain', (databases) => {
  let close = async (): Promise<void> => {};
  afterEach(() => close());

  function watched(...args: Parameters<typeof watchedChain>): WatchedChain {
    const own = watchedChain(...args);
    close = own.watch.close;
    return own;
  }
  async function trailOf(records: number): Promise<Database> {
    const { database } = await databases.migrated();
    await appendMixed(database, records);
    return database;
  }

  it('finds a chain intact up to its head, empty or not, and follows as it grows', async () => {
    const { database } = await databases.migrated();
    const own = watched(database);
    let length = 0;
    for (const more of [0, 1, 300, 5]) {
      if (more > 0) await appendMixed(database, more, length);
      length += more;
      const as_of = '2026-01-01T00:00:00.000Z';
      const found = { status: 'whole', verified_to: length, head: length, broken_at: null, as_of };
      assert.deepEqual(await own.becomes('whole', length), found);
    }
  });

  const LENGTH = 300;
  const at = (knex: Knex, sequence: number) => knex('audit_log').where({ sequence });
  const FORGERIES: [title: string, forge: (knex: Knex) => PromiseLike<unknown>, brokenAt: number][] = [
    ['a changed record', (knex) => at(knex, 7).update({ record: '{"action":"login"}' }), 7],
    ['a removed record', (knex) => at(knex, 7).delete(), 8],
    [
      'a tail cut off together with its head',
      async (knex) => {
        await knex('audit_log').where('sequence', '>', 280).delete();
        await knex('audit_head').update(await at(knex, 280).first('sequence', 'tag'));
      },
      281,
    ],
  ];
  for (const [title, forge, brokenAt] of FORGERIES)
    it(`finds ${title} behind its back, and keeps reporting it`, async () => {
      const database = await trailOf(LENGTH);
      const own = watched(database);
      await own.becomes('whole', LENGTH);
      await forge(database.knex);
      own.clock.elapsed += HOUR;
      assert.equal((await own.becomes('broken', brokenAt)).verified_to, brokenAt - 1);
      const walks = own.walks();
      own.clock.elapsed += HOUR;
      const seen = new Set<string>();
      await until(async () => {
        seen.add((await own.watch.state()).status);
        return own.walks() > walks;
      });
      await own.becomes('broken', brokenAt);
      assert.deepEqual([...seen], ['broken']);
      assert.equal(own.logged.length, 1);
    });

  it('finds a chain intact again whose record was put back', async () => {
    const database = await trailOf(LENGTH);
    const own = watched(database);
    const record = await at(database.knex, 9).first();
    await at(database.knex, 9).delete();
    await own.becomes('broken', 10);
    await database.knex('audit_log').insert(record);
    own.clock.elapsed += HOUR;
    await own.becomes('whole', LENGTH);
  });

  it('finds no fault in a trail that is pruned beyond the verified record while it is verified', async () => {
    const database = await trailOf(600);
    const last = await placeOf(database, 550);
    const own = watched(database, async (before) => before === 0 && trailUser(database).prune(last));
    await own.becomes('whole', 601);
    assert.deepEqual(own.logged, []);
  });
});
