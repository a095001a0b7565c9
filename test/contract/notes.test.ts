import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { noteStore, noteUpkeep } from '../../server/features/identities/notes.ts';
import { UpstreamFailure } from '../../server/upstream/failure.ts';
import type { IdentityStore, StoredIdentity } from '../../server/upstream/identity-store.ts';
import { NOTES_MAX } from '../../shared/notes.ts';
import { ADA, auditOn, auditRecords, BOB, PERSON } from '../support/audit-trail.ts';
import { silentLog } from '../support/context.ts';
import { describeOnDatabases, type TestDatabases } from '../support/databases.ts';
import { idOf } from '../support/index-rig.ts';

const DAY_MS = 86_400_000;

function notesOn(databases: TestDatabases): void {
  const storeOn = (database: Database) => noteStore({ database, audit: auditOn(database).audit, now: Date.now });

  it('are at most 50 on a person, also if two replicas add them at once, and each has one record', async () => {
    const { database, url } = await databases.createMigrated();
    const [one, other] = [storeOn(database), storeOn(databases.open(url))];
    for (let count = 2; count < NOTES_MAX; count += 1) await one.add(PERSON, ADA, 'x');
    const adding = [one, other, one, other].map((store) => store.add(PERSON, BOB, 'x'));
    const refused = (await Promise.allSettled(adding)).flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    assert.deepEqual(refused, Array(2).fill('ApiError: A person can have at most 50 notes.'));
    await other.add(ADA, BOB, 'x');
    assert.deepEqual([(await other.of(PERSON)).length, (await auditRecords(database)).length], [50, 51]);
  });

  it('are deleted if the store says that the person is gone, once a day by one replica, and never while it fails', async () => {
    const { database, url } = await databases.createMigrated();
    const ids = [1, 2, 3, 4].map((number) => idOf(number));
    for (const id of ids) for (const text of ['x', 'y']) await storeOn(database).add(id, ADA, text);
    const withNotes = async () => new Set(await database.knex('identity_notes').pluck('identity'));
    let [isFailing, time, lookedUp] = [true, 0, [] as string[]];
    const identity: IdentityStore['identity'] = async (id) => {
      lookedUp.push(id);
      if (isFailing) throw new UpstreamFailure('failing');
      return id === idOf(3) ? undefined : ({ id } as StoredIdentity);
    };
    const [one, other] = [database, databases.open(url)].map((each) =>
      noteUpkeep({
        ...{ database: each, log: silentLog, monotonic: () => time },
        identities: { identity },
        ...storeOn(each),
      }),
    );
    const afterRuns = async () => {
      lookedUp = [];
      for (const upkeep of [one, other, one]) await upkeep?.run();
      return [lookedUp.toSorted(), await withNotes()] as const;
    };
    const [failed, all] = await afterRuns();
    // Each run ends at its first failure, and the next one goes on after that person.
    assert.deepEqual([failed, all], [ids.slice(0, 2), new Set(ids)]);
    isFailing = false;
    const left = ids.filter((id) => id !== idOf(3));
    assert.deepEqual(await afterRuns(), [ids.slice(2), new Set(left)]);
    assert.deepEqual(await afterRuns(), [[], new Set(left)]);
    time += DAY_MS;
    assert.deepEqual(await afterRuns(), [left, new Set(left)]);
    await Promise.all([one?.stop(), other?.stop()]);
  });
}

describeOnDatabases('notes on people', notesOn, { server: true });
