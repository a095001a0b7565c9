import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type { Database } from '../../server/db/database.ts';
import { appendMixed } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import { HOUR, placeOf, trailUser, type WatchedChain, watchedChain } from '../support/pruned-trail.ts';

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
