import assert from 'node:assert/strict';
import type { AuditEvent } from '../../server/audit/audit-event.ts';
import { subjectOf } from '../../server/audit/audit-subject.ts';
import type { Database } from '../../server/db/database.ts';
import { appendMixed } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { auditOn, verifiedRecords } from '../support/vault.ts';

describeOnDatabases('subjects of audit records', (databases) => {
  const stored = (database: Database): Promise<{ sequence: number; record: string; subject: string | null }[]> =>
    database.knex('audit_log').orderBy('sequence').select('sequence', 'record', 'subject');

  it('are stored with the record, the empty text for none', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 70);
    for (const { record, subject } of await stored(database))
      assert.equal(subject, subjectOf(JSON.parse(record) as AuditEvent) ?? '');
  });

  it('that somebody changed or removed break the trail', async () => {
    const { database } = await databases.migrated();
    await appendMixed(database, 30);
    const { audit } = auditOn(database);
    assert.equal(await verifiedRecords(audit), 30);
    for (const subject of ['', 'setting:other', null])
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
});
