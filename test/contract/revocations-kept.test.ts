import assert from 'node:assert/strict';
import { becomes, until } from '../support/becomes.ts';
import { rowsLost } from '../support/counted-database.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { type PolledRevocations, polledRevocations } from '../support/polled-revocations.ts';
import { silentLog } from '../support/silent-log.ts';

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

  /**
   * Until one has read the number of what the other has written. The rows of a slow reading may be newer than its number:
   * the reading that finds the second one began after the first.
   */
  async function caughtUp(writer: PolledRevocations, reader: PolledRevocations): Promise<void> {
    for (const id of ['first', 'second'].map((mark) => `${mark} of ${opened.indexOf(writer)}`)) {
      await writer.revokeSession(id, NOW / 1000 + 60);
      await until(() => reader.isRevoked(session(id)));
    }
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
    await becomes(() => lost, [500, 500, 200]);
  });

  it('are not taken back by an older epoch, as a restored database holds it', async () => {
    const { url } = await databases.migrated();
    const here = await startedOn(url);
    const there = await startedOn(url);
    for (let times = 0; times < 3; times += 1) await here.revocations.raiseEpoch('ada');
    await caughtUp(here.revocations, there.revocations);
    await caughtUp(there.revocations, here.revocations);
    await here.database.knex('identity_epochs').update({ epoch: 1, version: 1 });
    await here.database
      .knex('revoked_sessions')
      .insert({ session_id: 'seen', expires_at: NOW / 1000 + 60, version: 1 });
    await here.database.knex('revocation_version').update({ version: 1 });
    for (const { revocations } of [here, there]) {
      await until(() => revocations.isRevoked(session('seen')));
      assert.equal(revocations.isRevoked(session('any', 'ada', 2)), true);
      assert.equal(revocations.isRevoked(session('any', 'ada', 3)), false);
      assert.equal(await revocations.epochOf('ada'), 3);
    }
    await there.revocations.raiseEpoch('ada');
    assert.equal(await there.revocations.epochOf('ada'), 4, 'it goes on from what is known');
    await until(() => here.revocations.isRevoked(session('any', 'ada', 3)));
  });
});
