import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type ChainPosition, noRecord } from '../../server/audit/audit-anchor.ts';
import { type AuditChain, auditChain } from '../../server/audit/audit-chain.ts';
import { type KeyAnchoring, keyAnchoring } from '../../server/audit/key-anchoring.ts';
import { auditKeyUse } from '../../server/audit/key-use.ts';
import { type ChainFault, type ChainVerdict, chainWalk } from '../../server/audit/verify-chain.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { auditOn, recordsOf } from '../support/vault.ts';

const MINUTE = 60_000;
const KEYS = Array.from({ length: 5 }, () => randomBytes(32).toString('base64'));
const [FIRST = '', SECOND = '', THIRD = '', FOURTH = ''] = KEYS;

interface Replica {
  chain: AuditChain;
  anchoring: KeyAnchoring;
  errors: unknown[];
  /** Its monotonic clock, in milliseconds. */
  clock: { elapsed: number };
  sign(records: number): Promise<void>;
  verify(): Promise<ChainVerdict>;
  /** Looks now and again after a while. */
  lookFor(milliseconds: number): Promise<void>;
}

function replicaWith(database: Database, current: string, previous?: string): Replica {
  const keys = previous === undefined ? { current } : { current, previous };
  const { audit } = auditOn(database, keys);
  const chain = auditChain(derivedKeys(keys, 'audit'));
  const errors: unknown[] = [];
  const clock = { elapsed: 0 };
  const log = { info: () => {}, warn: () => {}, error: (fields: unknown) => void errors.push(fields) };
  const anchoring = keyAnchoring({ database, chain, audit, log, elapsed: () => clock.elapsed });
  return {
    chain,
    anchoring,
    errors,
    clock,
    async sign(records) {
      for (let index = 0; index < records; index += 1)
        audit.queue({ action: 'proxy_write', actor: 'ada', target: `/x/${index}` });
      await audit.drain();
    },
    verify: () => audit.verify(),
    async lookFor(milliseconds) {
      await anchoring.look();
      clock.elapsed += milliseconds;
      await anchoring.look();
    },
  };
}

describeOnDatabases('the audit trail over changes of its key', (databases) => {
  const anchorsOn = async (database: Database): Promise<number> =>
    (await recordsOf(database)).filter(({ action }) => action === 'audit_anchor').length;

  /** 300 records by each of three keys, each change sealed by an anchor: 902 records. */
  async function threeKeys(database: Database): Promise<void> {
    await replicaWith(database, FIRST).sign(300);
    const second = replicaWith(database, SECOND, FIRST);
    await second.lookFor(MINUTE);
    await second.sign(300);
    const third = replicaWith(database, THIRD, SECOND);
    await third.lookFor(MINUTE);
    await third.sign(300);
  }

  it('verifies over several changes with the last key alone, and says which records by a digest', async () => {
    const { database } = await databases.migrated();
    await threeKeys(database);
    assert.equal(await anchorsOn(database), 2);
    const { head, ...verdict } = (await replicaWith(database, THIRD).verify()) as ChainVerdict & { ok: true };
    const start = { sequence: 0, tag: '' };
    assert.deepEqual(verdict, { ok: true, records: 902, byDigest: [[1, 601]], start, leftOver: false });
    assert.equal(head.sequence, 902);

    const withPrevious = await replicaWith(database, THIRD, SECOND).verify();
    assert.ok(withPrevious.ok);
    assert.deepEqual(withPrevious.byDigest, [[1, 300]]);

    const fourth = replicaWith(database, FOURTH, THIRD);
    await fourth.lookFor(MINUTE);
    const last = await replicaWith(database, FOURTH).verify();
    assert.ok(last.ok);
    assert.deepEqual(last.byDigest, [[1, 902]]);
  });

  it('can be verified on from wherever a walk paused, even among records whose key is gone', async () => {
    const { database } = await databases.migrated();
    await threeKeys(database);
    const replica = replicaWith(database, THIRD);
    const walk = chainWalk(database, replica.chain);
    const paused: ChainPosition[] = [];
    const sequenceOf = (end: ChainPosition | ChainFault): unknown => ('problem' in end ? end.problem : end.sequence);
    const end = await walk(noRecord(), { pause: async (position) => paused.push(position) });
    assert.deepEqual(
      paused.map(({ sequence }) => sequence),
      [250, 500, 750],
    );
    assert.equal(sequenceOf(end), 902);
    for (const position of [...paused, ...paused]) assert.equal(sequenceOf(await walk(position)), 902);
    await replica.sign(5);
    assert.ok(!('problem' in end));
    assert.equal(sequenceOf(await walk(end)), 907);
  });

  it('does not verify with a key that none of its anchors was made with', async () => {
    const { database } = await databases.migrated();
    await threeKeys(database);
    for (const key of [FIRST, SECOND, FOURTH]) assert.equal((await replicaWith(database, key).verify()).ok, false);
  });

  /** The first anchor's key is gone as well: only the second anchor, over 601 records, can be checked. */
  const TAMPERING: [title: string, tamper: (database: Database) => Promise<unknown>, at: number][] = [
    [
      'a changed record whose key is gone',
      ({ knex }) =>
        knex('audit_log')
          .where({ sequence: 7 })
          .update({
            record: JSON.stringify({
              action: 'login',
              actor: 'eve',
              target: null,
              timestamp: '2026-01-01T00:00:00.000Z',
            }),
            action: 'login',
            actor: 'eve',
            recorded_at: '2026-01-01T00:00:00.000Z',
            subject: '',
          }),
      601,
    ],
    ['a record that is none', ({ knex }) => knex('audit_log').where({ sequence: 7 }).update({ record: '{' }), 7],
    [
      'a changed column of a record whose key is gone',
      ({ knex }) => knex('audit_log').where({ sequence: 7 }).update({ actor: 'eve' }),
      7,
    ],
    [
      'changed tags of records whose key is gone',
      async ({ knex }) => {
        await knex('audit_log')
          .where({ sequence: 7 })
          .update({ tag: 'A'.repeat(43) });
        await knex('audit_log')
          .where({ sequence: 8 })
          .update({ previous_tag: 'A'.repeat(43) });
      },
      601,
    ],
    [
      'another key’s name on a record whose key is gone',
      async ({ knex }) => {
        const { key_id } = await knex('audit_log').where({ sequence: 7 }).first('key_id');
        await knex('audit_log')
          .where({ sequence: 7 })
          .update({ key_id: key_id.split('').reverse().join('') });
      },
      601,
    ],
    ['a removed record whose key is gone', ({ knex }) => knex('audit_log').where({ sequence: 7 }).delete(), 8],
    ['a removed anchor', ({ knex }) => knex('audit_log').where({ sequence: 602 }).delete(), 1],
    [
      'an anchor with another digest',
      async ({ knex }) => {
        const { record } = await knex('audit_log').where({ sequence: 602 }).first('record');
        const changed = record.replace(/"digest":"./, '"digest":"?');
        assert.notEqual(changed, record);
        await knex('audit_log').where({ sequence: 602 }).update({ record: changed });
      },
      1,
    ],
  ];
  for (const [title, tamper, at] of TAMPERING)
    it(`notices ${title}`, async () => {
      const { database } = await databases.migrated();
      await threeKeys(database);
      await tamper(database);
      const verdict = await replicaWith(database, THIRD).verify();
      assert.ok(!verdict.ok);
      assert.equal(verdict.sequence, at, verdict.problem);
    });

  it('is not sealed by a key that finds it broken, which is logged, and not looked through again at once', async () => {
    const { database } = await databases.migrated();
    await replicaWith(database, FIRST).sign(20);
    await database.knex('audit_log').where({ sequence: 7 }).update({ actor: 'eve' });
    const second = replicaWith(database, SECOND, FIRST);
    await second.lookFor(MINUTE);
    await second.anchoring.look();
    assert.equal(second.errors.length, 1);
    assert.equal(await anchorsOn(database), 0);
    await database.knex('audit_log').where({ sequence: 7 }).update({ actor: 'ada' });
    await second.lookFor(15 * MINUTE);
    assert.equal(await anchorsOn(database), 1);
  });

  it('is sealed again when a replica still signs with the key that is being replaced, once it has fallen silent', async () => {
    const { database } = await databases.migrated();
    const first = replicaWith(database, FIRST, SECOND);
    await first.sign(20);
    const second = replicaWith(database, SECOND, FIRST);
    await second.lookFor(MINUTE);
    assert.equal(await anchorsOn(database), 1);
    await second.lookFor(MINUTE);
    assert.equal(await anchorsOn(database), 1, 'nothing new to seal');

    await first.sign(1);
    assert.equal((await replicaWith(database, SECOND).verify()).ok, false);
    await second.lookFor(MINUTE / 2);
    await first.sign(1);
    await second.lookFor(MINUTE / 2);
    assert.equal(await anchorsOn(database), 1, 'it has not fallen silent');
    await second.lookFor(MINUTE);
    assert.equal(await anchorsOn(database), 2);
    assert.equal((await replicaWith(database, SECOND).verify()).ok, true);
    await second.lookFor(MINUTE);
    assert.equal(await anchorsOn(database), 2, 'nothing new to seal');
  });

  it('is not sealed back and forth while replicas sign with either key', async () => {
    const { database } = await databases.migrated();
    const replicas = [replicaWith(database, FIRST, SECOND), replicaWith(database, SECOND, FIRST)];
    for (const replica of replicas) await replica.sign(5);
    for (let minute = 0; minute < 30; minute += 1) for (const replica of replicas) await replica.lookFor(MINUTE);
    assert.equal(await anchorsOn(database), 1);
  });

  it('is sealed by an older key too once the newer one has been taken back for an hour', async () => {
    const { database } = await databases.migrated();
    await replicaWith(database, FIRST).sign(5);
    await replicaWith(database, SECOND, FIRST).sign(5);
    const back = replicaWith(database, FIRST, SECOND);
    await back.lookFor(59 * MINUTE);
    assert.equal(await anchorsOn(database), 0);
    await back.lookFor(MINUTE);
    assert.equal((await replicaWith(database, FIRST).verify()).ok, true);
  });

  for (const [who, key, anchors] of [
    ['of the same key was quicker', SECOND, 1],
    ['of another key was quicker', THIRD, 2],
  ] as const)
    it(`is sealed ${anchors === 1 ? 'once' : 'again'} when a replica ${who}`, async () => {
      const { database } = await databases.migrated();
      await replicaWith(database, FIRST).sign(5);
      const quicker = replicaWith(database, key, FIRST);
      const transaction: Database['transaction'] = async (work) => {
        await quicker.lookFor(MINUTE);
        return database.transaction(work);
      };
      await replicaWith({ ...database, transaction }, SECOND, FIRST).lookFor(MINUTE);
      assert.equal(await anchorsOn(database), anchors);
    });

  it('says up to where the current key vouches for it', async () => {
    const { database } = await databases.migrated();
    await threeKeys(database);
    const anchoredTo = ({ chain }: Replica): Promise<number> => auditKeyUse(database, chain).anchoredTo();
    assert.equal(await anchoredTo(replicaWith(database, THIRD)), 601);
    assert.equal(await anchoredTo(replicaWith(database, SECOND, FIRST)), 300);
    assert.equal(await anchoredTo(replicaWith(database, FOURTH, THIRD)), 0);
  });
});
