import assert from 'node:assert/strict';
import { auditChain } from '../../server/audit/chain.ts';
import { type ChainWatch, chainWatch } from '../../server/audit/chain-watch.ts';
import { chainWalk } from '../../server/audit/verify.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { createLog } from '../../server/log.ts';
import { appendMixed, BEGIN } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import { type PolledRevocations, polledRevocations } from '../support/polled-revocations.ts';
import { SIGNING_KEY, vaultOn, verifiedRecords } from '../support/vault.ts';

const NOW = Date.UTC(2026, 0, 1);
const IN_AN_HOUR = NOW / 1000 + 3_600;
const TABLES = [
  'settings',
  'audit_log',
  'audit_head',
  'revoked_sessions',
  'identity_epochs',
  'revocation_version',
  'settings_version',
  'used_login_states',
];

/** @returns restores every row as it is now, while the database is in use */
async function backUp(database: Database): Promise<() => Promise<void>> {
  const kept = new Map<string, object[]>();
  for (const table of TABLES) kept.set(table, await database.knex(table).select());
  return () =>
    database.transaction(async (trx) => {
      for (const [table, rows] of kept) {
        await trx(table).delete();
        for (let from = 0; from < rows.length; from += 100) await trx(table).insert(rows.slice(from, from + 100));
      }
    });
}

describeOnDatabases('a database that is restored from a backup under running replicas', (databases) => {
  let opened: PolledRevocations[] = [];
  afterEach(() => {
    for (const revocations of opened) revocations.close();
    opened = [];
  });

  async function startedOn(url: string, clock = { elapsed: 0 }, nowOffset = 0) {
    const warnings: string[] = [];
    const log = createLog({ level: 'warn', production: false }, { write: (line) => void warnings.push(line) });
    const revocations = polledRevocations({
      database: databases.open(url),
      log,
      now: () => NOW + clock.elapsed + nowOffset,
      monotonic: () => clock.elapsed,
      pollMs: 20,
    });
    opened.push(revocations);
    await revocations.start();
    return { revocations, warnings, clock };
  }
  const session = (sessionId: string, identityId = 'nobody', epoch = 0) => ({ sessionId, identityId, epoch });

  it('is given back the revocations that they remember, so that later processes know them too', async () => {
    const { url, database } = await databases.migrated();
    const running = await startedOn(url);
    await running.revocations.revokeSession('before', IN_AN_HOUR);
    await running.revocations.raiseEpoch('ada');
    const restore = await backUp(database);
    await running.revocations.revokeSession('since', IN_AN_HOUR);
    for (let times = 0; times < 2; times += 1) await running.revocations.raiseEpoch('ada');
    await running.revocations.raiseEpoch('bob');
    const watching = await startedOn(url);
    await restore();
    const stored = async (): Promise<number> => (await database.knex('revoked_sessions').select('session_id')).length;
    await until(async () => (await stored()) === 2);
    await until(async () => (await database.knex('identity_epochs').where({ epoch: 3 })).length === 1);
    await until(async () => (await database.knex('identity_epochs').where({ identity_id: 'bob' })).length === 1);
    const started = await startedOn(url);
    for (const { revocations } of [running, watching, started]) {
      assert.equal(revocations.isRevoked(session('before')), true);
      assert.equal(revocations.isRevoked(session('since')), true);
      assert.equal(revocations.isRevoked(session('any', 'ada', 2)), true);
      assert.equal(revocations.isRevoked(session('any', 'ada', 3)), false);
      assert.equal(revocations.isRevoked(session('any', 'bob', 0)), true);
      assert.equal(revocations.isRevoked(session('any', 'bob', 1)), false);
    }
    assert.ok([...running.warnings, ...watching.warnings].some((line) => line.includes('was restored from a backup')));
  });

  it('does not hide a revocation that reused the number of a lost one', async () => {
    const { url, database } = await databases.migrated();
    const making = await startedOn(url);
    const watching = await startedOn(url);
    await making.revocations.revokeSession('one', IN_AN_HOUR);
    await until(() => watching.revocations.isRevoked(session('one')));
    // As when a backup is restored and written to between two polls.
    await database.transaction(async (trx) => {
      await trx('revoked_sessions').delete();
      await trx('revoked_sessions').insert({ session_id: 'other', expires_at: IN_AN_HOUR, version: 1 });
    });
    watching.clock.elapsed += 60_000;
    await until(() => watching.revocations.isRevoked(session('other')));
    assert.equal(watching.revocations.isRevoked(session('one')), true);
  });

  it('continues an intact chain from its own head, and they report where the earlier one broke off', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 60);
    const restore = await backUp(database);
    await appendMixed(database, 20, 60);
    const watching = () =>
      chainWatch({
        walk: chainWalk(database, auditChain(derivedKeys({ current: SIGNING_KEY }, 'audit'))),
        head: async () => (await database.knex('audit_head').first('sequence')).sequence,
        log: { error: () => {} },
        now: () => BEGIN,
        elapsed: () => 0,
      });
    const watches = [watching(), watching()];
    const settled = async (watch: ChainWatch | undefined): Promise<unknown> => {
      for (;;) {
        const { status, verified_to, broken_at } = (await watch?.state()) ?? {};
        if (status !== 'checking') return { status, verified_to, broken_at };
      }
    };
    try {
      for (const watch of watches)
        assert.deepEqual(await settled(watch), { status: 'whole', verified_to: 80, broken_at: null });
      await restore();
      await appendMixed(database, 5, 1000);
      assert.equal(await verifiedRecords(vaultOn(database).audit), 65);
      // Shorter than before: points at the first missing record.
      assert.deepEqual(await settled(watches[0]), { status: 'broken', verified_to: 65, broken_at: 66 });
      await appendMixed(database, 35, 1005);
      assert.equal(await verifiedRecords(vaultOn(database).audit), 100);
      // Longer: points at the first record that does not follow.
      assert.deepEqual(await settled(watches[1]), { status: 'broken', verified_to: 80, broken_at: 81 });
    } finally {
      for (const watch of watches) await watch.close();
    }
  });
});
