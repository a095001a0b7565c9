import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { auditKeyUse } from '../../server/audit/key-use.ts';
import type { Database } from '../../server/db/database.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { placeOf, seconds, type TrailUser, trailUser, verdictOf } from '../support/pruned-trail.ts';

const MINUTE = 60_000;
const KEYS = Array.from({ length: 5 }, () => randomBytes(32).toString('base64'));
const [FIRST = '', SECOND = '', THIRD = '', FOURTH = '', FIFTH = ''] = KEYS;

const withKeys = (database: Database, current: string, previous?: string): TrailUser =>
  trailUser(database, previous === undefined ? { current } : { current, previous });

async function sign({ audit }: TrailUser, records: number, from: number): Promise<void> {
  for (let index = from; index < from + records; index += 1) {
    const event = { action: 'proxy_write', actor: 'ada', target: `/x/${index}`, timestamp: seconds(index) } as const;
    audit.queue(event);
  }
  await audit.drain();
}

/** Looks now and again after a while in which nobody signed with the previous key. */
async function anchor({ anchoring, clock }: TrailUser): Promise<void> {
  await anchoring.look();
  clock.elapsed += MINUTE;
  await anchoring.look();
}

const anchoredTo = (database: Database, { chain }: TrailUser): Promise<number> =>
  auditKeyUse(database, chain).anchoredTo();

describeOnDatabases('a pruned audit trail over changes of its key', (databases) => {
  /** 100 records by each of three keys, each change sealed by an anchor: 302 records. */
  async function threeKeys(): Promise<Database> {
    const { database } = await databases.migrated();
    await sign(withKeys(database, FIRST), 100, 0);
    for (const [index, [current, previous]] of [
      [SECOND, FIRST],
      [THIRD, SECOND],
    ].entries()) {
      const replica = withKeys(database, current as string, previous);
      await anchor(replica);
      await sign(replica, 100, 100 * (index + 1));
    }
    return database;
  }

  for (const [title, end, left] of [
    ['in the middle of the first key', 50, 253],
    ['in the middle of the second key', 150, 153],
    ['behind its last anchor', 250, 53],
  ] as const)
    it(`verifies with the last key alone when it was pruned ${title}, and after all keys have changed`, async () => {
      const database = await threeKeys();
      const third = withKeys(database, THIRD);
      await third.prune(await placeOf(database, end));
      assert.equal(await verdictOf(third), `${left} records after ${end}`);
      assert.equal(await anchoredTo(database, third), 302, 'its own record vouches for what it leaves');
      const fourth = withKeys(database, FOURTH, THIRD);
      await anchor(fourth);
      await sign(fourth, 10, 300);
      const fifth = withKeys(database, FIFTH, FOURTH);
      await anchor(fifth);
      assert.equal(await verdictOf(withKeys(database, FIFTH)), `${left + 12} records after ${end}`);
      assert.match(await verdictOf(withKeys(database, SECOND)), /^broken at \d+: the record was made with a key/);

      await withKeys(database, FIFTH).prune(await placeOf(database, 280));
      assert.equal(await verdictOf(withKeys(database, FIFTH)), '36 records after 280');
      await withKeys(database, FIFTH).prune(await placeOf(database, 315));
      assert.equal(await verdictOf(withKeys(database, FIFTH)), '2 records after 315');
    });

  const TAMPERING: [title: string, tamper: (database: Database) => Promise<unknown>][] = [
    [
      'a changed record whose key is gone',
      async ({ knex }) => {
        const { record } = await knex('audit_log').where({ sequence: 180 }).first('record');
        await knex('audit_log')
          .where({ sequence: 180 })
          .update({ record: record.replace('"/x/', '"/y/') });
      },
    ],
    [
      'a prune whose key is gone and that says something else',
      async ({ knex }) => {
        const { record } = await knex('audit_log').where({ sequence: 303 }).first('record');
        await knex('audit_log')
          .where({ sequence: 303 })
          .update({ record: record.replace('"removed":150', '"removed":1') });
      },
    ],
    [
      'another beginning, for which the prune whose key is gone was changed',
      async ({ knex }) => {
        const { sequence, tag } = await knex('audit_log').where({ sequence: 160 }).first();
        const { record } = await knex('audit_log').where({ sequence: 303 }).first('record');
        const changed = record
          .replace('"after":150', '"after":160')
          .replace(/"after_tag":"[^"]*"/, `"after_tag":"${tag}"`);
        await knex('audit_log').where({ sequence: 303 }).update({ record: changed });
        await knex('audit_head').where({ id: 2 }).update({ sequence, tag });
        await knex('audit_log').where('sequence', '<=', 160).delete();
      },
    ],
  ];
  for (const [title, tamper] of TAMPERING)
    it(`notices ${title}`, async () => {
      const database = await threeKeys();
      await withKeys(database, THIRD).prune(await placeOf(database, 150));
      for (const [current, previous] of [
        [FOURTH, THIRD],
        [FIFTH, FOURTH],
      ] as const) {
        await anchor(withKeys(database, current, previous));
        await sign(withKeys(database, current), 1, 300);
      }
      const last = withKeys(database, FIFTH);
      assert.equal(await verdictOf(last), '157 records after 150');
      await tamper(database);
      assert.match(await verdictOf(last), /^broken at \d+: /);
    });

  it('is not pruned by a key that cannot verify it', async () => {
    const database = await threeKeys();
    await assert.rejects(withKeys(database, SECOND).prune(await placeOf(database, 50)), /is broken at record \d+/);
    assert.equal(await verdictOf(withKeys(database, THIRD)), '302 records after 0');
  });

  it('is sealed with everything that was signed with the previous key until the prune', async () => {
    const { database } = await databases.migrated();
    await sign(withKeys(database, FIRST), 100, 0);
    const second = withKeys(database, SECOND, FIRST);
    await anchor(second);
    await sign(withKeys(database, FIRST), 5, 100);
    assert.equal(await anchoredTo(database, second), 100);
    let signed = false;
    const transaction: Database['transaction'] = async (work) => {
      if (!signed) {
        signed = true;
        await sign(withKeys(database, FIRST), 1, 105);
      }
      return database.transaction(work);
    };
    await withKeys({ ...database, transaction }, SECOND, FIRST).prune(await placeOf(database, 50));
    assert.equal(await anchoredTo(database, second), 107);
    assert.equal(await verdictOf(withKeys(database, SECOND)), '58 records after 50');
  });

  it('is not sealed by an anchor that was computed before the prune, but by the next look', async () => {
    const { database } = await databases.migrated();
    await sign(withKeys(database, FIRST), 100, 0);
    const last = await placeOf(database, 50);
    let pruned = false;
    const transaction: Database['transaction'] = async (work) => {
      if (!pruned) {
        pruned = true;
        // By a process whose key is yet to be replaced: its prune is covered by nobody.
        await withKeys(database, FIRST).prune(last);
      }
      return database.transaction(work);
    };
    const overtaken = withKeys({ ...database, transaction }, SECOND, FIRST);
    await anchor(overtaken);
    assert.equal(await anchoredTo(database, overtaken), 0);
    assert.equal(await verdictOf(overtaken), '51 records after 50');
    await anchor(overtaken);
    assert.equal(await anchoredTo(database, overtaken), 101);
    assert.equal(await verdictOf(withKeys(database, SECOND)), '52 records after 50');
  });

  it('still tells since when its key has been in use, even when it is pruned again', async () => {
    const { database } = await databases.migrated();
    const user = withKeys(database, FIRST);
    await sign(user, 100, 7);
    const firstUse = async () => (await auditKeyUse(database, user.chain).first(user.chain.keyIds.current))?.at;
    for (const end of [0, 20, 60, 101]) {
      if (end > 0) await user.prune(await placeOf(database, end));
      assert.equal(await firstUse(), seconds(7), `pruned up to ${end}`);
    }
  });
});
