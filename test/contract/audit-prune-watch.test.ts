import assert from 'node:assert/strict';
import { noRecord } from '../../server/audit/audit-anchor.ts';
import { auditChain, type ChainHead } from '../../server/audit/audit-chain.ts';
import { type ChainWatch, chainWatch } from '../../server/audit/chain-watch.ts';
import { type ChainWalk, chainWalk } from '../../server/audit/verify-chain.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import type { AuditChainState } from '../../shared/audit.ts';
import { appendMixed, BEGIN } from '../support/audit-trail.ts';
import { becomes } from '../support/becomes.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { placeOf, trailUser, verdictOf } from '../support/pruned-trail.ts';
import { SIGNING_KEY } from '../support/vault.ts';

const HOUR = 3_600_000;
const LENGTH = 1_100;

describeOnDatabases('the watch over an audit chain that is pruned', (databases) => {
  let close = async (): Promise<void> => {};
  afterEach(() => close());

  /** @param between called once, after this batch of all that are read */
  function watched(database: Database, between: () => Promise<unknown> = async () => {}, batch = 2) {
    const clock = { elapsed: 0 };
    const logged: unknown[] = [];
    const walk = chainWalk(database, auditChain(derivedKeys({ current: SIGNING_KEY }, 'audit')));
    let pauses = 0;
    const disturbed: ChainWalk = (from, options) =>
      walk(from, {
        ...options,
        async pause(position) {
          await options?.pause?.(position);
          pauses += 1;
          if (pauses === batch) await between();
        },
      });
    const watch: ChainWatch = chainWatch({
      walk: disturbed,
      head: async () => (await database.knex('audit_head').where({ id: 1 }).first('sequence')).sequence,
      log: { error: (fields: unknown) => void logged.push(fields) },
      now: () => BEGIN + clock.elapsed,
      elapsed: () => clock.elapsed,
    });
    close = watch.close;
    const states: AuditChainState[] = [];
    const state = async (): Promise<AuditChainState> => {
      const read = await watch.state();
      states.push(read);
      return read;
    };
    return { watch, clock, logged, states, state, pauses: () => pauses };
  }
  const found = ({ status, verified_to, head, broken_at }: AuditChainState): unknown => ({
    status,
    verified_to,
    head,
    broken_at,
  });
  const whole = (to: number): unknown => ({ status: 'whole', verified_to: to, head: to, broken_at: null });

  for (const [title, end] of [
    ['before the place that it has reached', 300],
    ['beyond the place that it has reached', 1_000],
    ['to its end', LENGTH],
  ] as const)
    it(`calls it whole when it is pruned ${title} while it is being verified, and logs nothing`, async () => {
      const { database } = await databases.migrated();
      await appendMixed(database, LENGTH);
      const last = await placeOf(database, end);
      const own = watched(database, () => trailUser(database).prune(last));
      await becomes(async () => found(await own.state()), whole(LENGTH + 1));
      assert.ok(own.pauses() >= 2);
      assert.deepEqual(own.logged, []);
      assert.ok(own.states.every(({ status }) => status !== 'broken'));
    });

  it('calls it whole when it is pruned while it is being verified again, and logs nothing', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, LENGTH);
    const last = await placeOf(database, 1_000);
    // All of it takes four batches and a rest: this is the second one of the next walk.
    const own = watched(database, () => trailUser(database).prune(last), 6);
    await becomes(async () => found(await own.state()), whole(LENGTH));
    own.clock.elapsed += HOUR;
    await becomes(async () => found(await own.state()), whole(LENGTH + 1));
    await own.watch.close();
    assert.ok(own.pauses() >= 6);
    assert.deepEqual(own.logged, []);
    assert.ok(own.states.every(({ status }) => status !== 'broken'));
  });

  it('follows on after a prune without ever saying that less is verified', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, LENGTH);
    let between: AuditChainState | undefined;
    // All of it takes four batches and a rest: this is the first one after the prune.
    const own = watched(
      database,
      async () => {
        between = await own.watch.state();
      },
      5,
    );
    await becomes(async () => found(await own.state()), whole(LENGTH));
    await trailUser(database).prune(await placeOf(database, 300));
    await appendMixed(database, 20, LENGTH);
    await becomes(async () => found(await own.state()), whole(LENGTH + 21));
    assert.deepEqual([between?.status, between?.verified_to], ['checking', LENGTH]);
    assert.deepEqual(own.logged, []);
  });

  it('notices another history, of a database that was restored, although it was pruned since', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 400);
    const own = watched(database);
    await becomes(async () => found(await own.state()), whole(400));
    const head = await placeOf(database, 380);
    await database.knex('audit_log').where('sequence', '>', 380).delete();
    await database.knex('audit_head').where({ id: 1 }).update(head);
    await appendMixed(database, 100, 1_000);
    await trailUser(database).prune(await placeOf(database, 300));
    assert.match(await verdictOf(trailUser(database)), /^181 records after 300$/);
    await becomes(async () => (await own.state()).broken_at, 400);
  });

  it('notices a gap in what a prune left, a gap made while it is pruned, and a tail cut off with its head', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, LENGTH);
    const last = await placeOf(database, 1_000);
    const own = watched(database, async () => {
      await trailUser(database).prune(last);
      await database.knex('audit_log').where({ sequence: 1_050 }).delete();
    });
    await becomes(async () => (await own.state()).broken_at, 1_051);
    assert.equal(own.logged.length, 1);
    await own.watch.close();

    const { database: other } = await databases.migrated();
    await appendMixed(other, 400);
    const watch = watched(other);
    await becomes(async () => found(await watch.state()), whole(400));
    await appendMixed(other, 5, 400);
    await becomes(async () => found(await watch.state()), whole(405));
    await trailUser(other).prune(await placeOf(other, 100));
    const head = await placeOf(other, 406);
    await becomes(async () => found(await watch.state()), whole(406));
    await appendMixed(other, 5, 406);
    await becomes(async () => found(await watch.state()), whole(411));
    await trailUser(other).prune(await placeOf(other, 200));
    await becomes(async () => found(await watch.state()), whole(412));
    await other.knex('audit_log').where('sequence', '>', 406).delete();
    await other.knex('audit_head').where({ id: 1 }).update(head);
    await becomes(async () => (await watch.state()).broken_at, 407);
  });

  it('verifies on from a position of before the prune, at the end of all that is left', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 700);
    const walk = chainWalk(database, auditChain(derivedKeys({ current: SIGNING_KEY }, 'audit')));
    const before = await walk(noRecord());
    await trailUser(database).prune(await placeOf(database, 400));
    const begun: number[] = [];
    const onBegin = ({ sequence }: ChainHead): void => void begun.push(sequence);
    assert.ok(!('problem' in before));
    const after = await walk(before, { onBegin });
    assert.ok(!('problem' in after), 'problem' in after ? after.problem : '');
    assert.deepEqual([begun, after.start, after.sequence, after.pruned.sequence], [[400], 400, 701, 400]);
    await appendMixed(database, 5, 701);
    const further = await walk(after, { onBegin });
    assert.deepEqual([begun, 'problem' in further || further.sequence], [[400], 706]);
  });
});
