import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { ChainPosition } from '../../server/audit/audit-anchor.ts';
import { auditChain } from '../../server/audit/audit-chain.ts';
import { type ChainWatch, chainWatch } from '../../server/audit/chain-watch.ts';
import { chainWalk } from '../../server/audit/verify-chain.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/unavailable.ts';
import type { AuditChainState } from '../../shared/audit.ts';
import { appendMixed, BEGIN } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { SIGNING_KEY } from '../support/vault.ts';

const HOUR = 3_600_000;

interface Watched {
  watch: ChainWatch;
  clock: { elapsed: number };
  logged: unknown[];
  /** How often the whole trail was checked. */
  walks(): number;
  /** Polls until the status is no longer `checking`. */
  settled(): Promise<AuditChainState>;
}

describeOnDatabases('the watch over the audit chain', (databases) => {
  let close = async (): Promise<void> => {};
  afterEach(() => close());

  /** @param batchMs how long each batch takes at least */
  function watched(database: Database, batchMs = 0): Watched {
    const clock = { elapsed: 0 };
    const logged: unknown[] = [];
    const walk = chainWalk(database, auditChain(derivedKeys({ current: SIGNING_KEY }, 'audit')));
    let walks = 0;
    const watch = chainWatch({
      async walk(from, options = {}) {
        const pause = async (reached: ChainPosition): Promise<void> => {
          await options.pause?.(reached);
          if (batchMs > 0) await sleep(batchMs);
        };
        const end = await walk(from, { ...options, pause });
        if (from.sequence === 0) walks += 1;
        return end;
      },
      head: async () => (await database.knex('audit_head').first('sequence')).sequence,
      log: { error: (fields: unknown) => void logged.push(fields) },
      now: () => BEGIN + clock.elapsed,
      elapsed: () => clock.elapsed,
    });
    close = watch.close;
    const settled = async (): Promise<AuditChainState> => {
      for (let tries = 0; tries < 100; tries += 1) {
        const state = await watch.state();
        if (state.status !== 'checking') return state;
      }
      throw new Error('the chain is never verified');
    };
    return { watch, clock, logged, settled, walks: () => walks };
  }

  /** An hour later the whole trail is checked again in the background: polls until that shows. */
  async function anHourLater({ watch, clock }: Watched, status: AuditChainState['status']): Promise<AuditChainState> {
    clock.elapsed += HOUR;
    for (let tries = 0; tries < 200; tries += 1) {
      const state = await watch.state();
      if (state.status === status) return state;
      await sleep(10);
    }
    throw new Error(`the chain is never ${status}`);
  }

  it('calls an empty chain whole', async () => {
    const { database } = await databases.migrated();
    assert.deepEqual(await watched(database).settled(), {
      status: 'whole',
      verified_to: 0,
      head: 0,
      broken_at: null,
      as_of: '2026-01-01T00:00:00.000Z',
    });
  });

  it('calls a chain whole up to its head, and follows as it grows', async () => {
    const { database } = await databases.migrated();
    const { settled } = watched(database);
    let length = 0;
    for (const grown of [1, 600, 1, 5]) {
      await appendMixed(database, grown, length);
      length += grown;
      const { status, verified_to, head, broken_at } = await settled();
      assert.deepEqual(
        { status, verified_to, head, broken_at },
        { status: 'whole', verified_to: length, head: length, broken_at: null },
      );
    }
  });

  it('calls a long chain whole only once all of it was verified', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 1100);
    const { watch, settled } = watched(database, 200);
    const first = await watch.state();
    assert.equal(first.status, 'checking');
    assert.ok(first.verified_to < 1100);
    assert.equal(first.head, 1100);
    const { status, verified_to, head } = await settled();
    assert.deepEqual({ status, verified_to, head }, { status: 'whole', verified_to: 1100, head: 1100 });
  });

  const LENGTH = 620;
  const TAMPERING: [title: string, tamper: (knex: Knex) => PromiseLike<unknown>, brokenAt: number][] = [
    [
      'a record changed',
      (knex) => knex('audit_log').where({ sequence: 7 }).update({ record: '{"action":"login"}' }),
      7,
    ],
    ['a record removed', (knex) => knex('audit_log').where({ sequence: 7 }).delete(), 8],
    ['a subject changed', (knex) => knex('audit_log').where({ sequence: 8 }).update({ subject: 'setting:other' }), 8],
    ['a tail cut off', (knex) => knex('audit_log').where('sequence', '>', 600).delete(), 601],
    [
      'a tail cut off and the head set back to match',
      async (knex) => {
        await knex('audit_log').where('sequence', '>', 600).delete();
        const last = await knex('audit_log').where({ sequence: 600 }).first('sequence', 'tag');
        await knex('audit_head').update(last);
      },
      601,
    ],
  ];
  for (const [title, tamper, brokenAt] of TAMPERING)
    it(`notices ${title} behind its back, says where, and goes on saying so`, async () => {
      const { database } = await databases.migrated();
      await appendMixed(database, LENGTH);
      const own = watched(database);
      assert.equal((await own.settled()).status, 'whole');
      await tamper(database.knex);
      const state = await anHourLater(own, 'broken');
      assert.equal(state.broken_at, brokenAt);
      assert.equal(state.verified_to, brokenAt - 1);
      const walks = own.walks();
      own.clock.elapsed += HOUR;
      for (let tries = 0; own.walks() === walks && tries < 200; tries += 1) {
        assert.equal((await own.watch.state()).status, 'broken');
        await sleep(10);
      }
      assert.ok(own.walks() > walks, 'all of it was looked at again');
      assert.equal((await own.watch.state()).status, 'broken');
      assert.equal(own.logged.length, 1);
    });

  it('calls a chain whole again whose record was put back', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, LENGTH);
    const own = watched(database);
    const record = await database.knex('audit_log').where({ sequence: 9 }).first();
    await database.knex('audit_log').where({ sequence: 9 }).delete();
    assert.equal((await own.settled()).broken_at, 10);
    await database.knex('audit_log').insert(record);
    assert.equal((await anHourLater(own, 'whole')).verified_to, LENGTH);
  });

  it('does not speak of a chain that it cannot read', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 10);
    const { watch } = watched(database);
    await database.close();
    await assert.rejects(watch.state(), isUnavailable);
  });
});
