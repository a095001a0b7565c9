import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEvent } from '../../server/audit/audit-event.ts';
import { auditSearch } from '../../server/audit/audit-search.ts';
import { subjectOf } from '../../server/audit/audit-subject.ts';
import { subjectFilling } from '../../server/audit/fill-subjects.ts';
import type { Database } from '../../server/db/database.ts';
import { appendMixed, PERSON } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { auditOn, verifiedRecords } from '../support/vault.ts';

const QUIET = { info: () => {}, warn: () => {} };

describeOnDatabases('subjects of audit records', (databases) => {
  const stored = (database: Database): Promise<{ sequence: number; record: string; subject: string | null }[]> =>
    database.knex('audit_log').orderBy('sequence').select('sequence', 'record', 'subject');

  async function untilFilled(database: Database): Promise<void> {
    for (let tries = 0; tries < 400; tries += 1) {
      if ((await stored(database)).every(({ subject }) => subject !== null)) return;
      await sleep(25);
    }
    assert.fail('records stay without their subjects');
  }

  it('are stored with the record, the empty text for none', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 70);
    for (const { record, subject } of await stored(database))
      assert.equal(subject, subjectOf(JSON.parse(record) as AuditEvent) ?? '');
  });

  it('are filled into old records in the background, by two processes at once and beside new ones', async () => {
    const { url, database } = await databases.migrated();
    await appendMixed(database, 900);
    await database.knex('audit_log').update({ subject: null });
    const search = auditSearch(database);
    assert.equal((await search.page({ subject: `identity:${PERSON}` }, 250)).records.length, 0);
    const [newest] = (await search.page({}, 25)).records.filter(({ subject }) => subject !== null);
    assert.ok(newest, 'a record names its subject before the column is filled');

    const filling = [database, databases.open(url)].map((own) => subjectFilling({ database: own, log: QUIET }));
    for (const one of filling) one.start();
    await appendMixed(database, 100, 900);
    await untilFilled(database);
    await Promise.all(filling.map((one) => one.close()));
    for (const { record, subject } of await stored(database))
      assert.equal(subject, subjectOf(JSON.parse(record) as AuditEvent) ?? '');
    assert.equal(await verifiedRecords(auditOn(database).audit), 1000);
  });

  it('that somebody changed break the trail; one that is still missing does not', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 30);
    const { audit } = auditOn(database);
    await database.knex('audit_log').where({ sequence: 3 }).update({ subject: null });
    assert.equal(await verifiedRecords(audit), 30);
    for (const subject of ['', 'setting:other'])
      for (const sequence of [2, 3]) {
        const [before] = await database.knex('audit_log').where({ sequence }).select('subject');
        await database.knex('audit_log').where({ sequence }).update({ subject });
        assert.deepEqual(await audit.verify(), {
          ok: false,
          sequence,
          problem: 'the columns differ from the record',
        });
        await database.knex('audit_log').where({ sequence }).update(before);
      }
  });

  it('are filled past a record that cannot be read', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 30);
    await database.knex('audit_log').update({ subject: null });
    await database.knex('audit_log').where({ sequence: 1 }).update({ record: 'no JSON' });
    const filling = subjectFilling({ database, log: QUIET });
    filling.start();
    await untilFilled(database);
    await filling.close();
  });
});
