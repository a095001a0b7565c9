import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { recordRecovery } from '../../server/features/identities/recovery.ts';
import type { ApiError } from '../../server/http/errors.ts';
import { ADA, auditOn, BOB, PERSON, START } from '../support/audit-trail.ts';
import { describeOnDatabases, type TestDatabases } from '../support/databases.ts';

const MINUTE_MS = 60_000;
const personAt = (index: number): string => PERSON.slice(0, -2) + String(index).padStart(2, '0');

function limitsOn(databases: TestDatabases): void {
  let time = START;
  const now = (): number => time;
  /** Records like one replica. @returns why not, or undefined */
  const replicaOn = (database: Database) => {
    const record = recordRecovery({ database, audit: auditOn(database, undefined, now).audit, now });
    return (person: string, actor: string) =>
      record(person, PERSON, actor).catch(({ code, headers }: ApiError) => `${code} ${headers['Retry-After']}`);
  };

  it('allow three for a person and thirty by an operator within any hour, on two replicas at once', async () => {
    const { database, url } = await databases.createMigrated();
    const [one, other] = [replicaOn(database), replicaOn(databases.open(url))];
    const upper = PERSON.toUpperCase();
    const started = await Promise.all([one(PERSON, ADA), one(PERSON, BOB), other(upper, BOB), other(upper, BOB)]);
    assert.deepEqual(started.toSorted(), ['too_many_requests 3600', undefined, undefined, undefined]);
    time += 60 * MINUTE_MS - 1;
    assert.equal(await other(PERSON, ADA), 'too_many_requests 1');
    time += 1;
    assert.equal(await other(PERSON, ADA), undefined);

    for (let index = 1; index < 30; index += 1, time += MINUTE_MS)
      assert.equal(await one(personAt(index), ADA), undefined);
    assert.equal(await other(personAt(30), ADA), 'too_many_requests 1860');
    assert.equal(await other(personAt(30), BOB), undefined);
  });
}

describeOnDatabases('the limits of recoveries', limitsOn, { server: true });
