import assert from 'node:assert/strict';
import { silentLog } from '../support/context.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually, until } from '../support/eventually.ts';
import { type PolledRevocations, polledRevocations } from '../support/polled-revocations.ts';
import { rowsLost } from '../support/rows-lost.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
/** Between two looks for what can be dropped. */
const A_WHILE = 600_000;

describeOnDatabases('revocations that are still in force', (databases) => {
  let opened: PolledRevocations[] = [];
  afterEach(() => {
    for (const revocations of opened) revocations.close();
    opened = [];
  });

  async function startedOn(url: string, now: () => number = () => NOW, database = databases.open(url)) {
    const revocations = polledRevocations({ database, log: silentLog, now, monotonic: now, pollMs: 20 });
    opened.push(revocations);
    await revocations.start();
    return { revocations, database };
  }

  const session = (sessionId: string, identityId = 'nobody', epoch = 0) => ({ sessionId, identityId, epoch });

  it('are kept when those of ended sessions are dropped, here and for a process that starts later', async () => {
    const { url } = await databases.migrated();
    let now = NOW;
    const { revocations, database } = await startedOn(url, () => now);
    const later = NOW + 2 * DAY;
    await revocations.revokeSession('ended', NOW / 1000 + 60);
    await revocations.revokeSession('ends in a second', later / 1000 + 1);
    await revocations.revokeSession('ends in an hour', later / 1000 + 3_600);
    await revocations.raiseEpoch('ada');
    now = later;
    await until(async () => (await database.knex('revoked_sessions').select('session_id')).length < 3);
    await until(() => !revocations.isRevoked(session('ended')));
    const { revocations: started } = await startedOn(url, () => now);
    for (const each of [revocations, started]) {
      assert.equal(each.isRevoked(session('ended')), false);
      assert.equal(each.isRevoked(session('ends in a second')), true);
      assert.equal(each.isRevoked(session('ends in an hour')), true);
      assert.equal(each.isRevoked(session('any', 'ada', 0)), true);
    }
  });

  it('are heard of from other processes while many of ended sessions are being dropped, a few hundred at a time', async () => {
    const { url, database: plain } = await databases.migrated();
    const ended = Array.from({ length: 1_200 }, (_, index) => ({ session_id: `e${index}`, expires_at: 0, version: 0 }));
    await plain.knex.batchInsert('revoked_sessions', ended, 500);
    let now = NOW;
    let drop = (): void => {};
    const held = new Promise<void>((resolve) => {
      drop = resolve;
    });
    const { watched, lost } = rowsLost(databases.open(url), 'revoked_sessions');
    let dropping = false;
    const here = await startedOn(url, () => now, {
      ...watched,
      transaction: async (work) => {
        dropping = true;
        await held;
        return watched.transaction(work);
      },
    });
    const there = await startedOn(url);
    now = NOW + A_WHILE;
    await until(() => dropping);
    await there.revocations.revokeSession('elsewhere', now / 1000 + 60);
    await until(() => here.revocations.isRevoked(session('elsewhere')));
    assert.deepEqual(lost, []);
    drop();
    await eventually(() => lost, [500, 500, 200]);
  });
});
