import assert from 'node:assert/strict';
import { RECORD_WRITERS } from '../../client/features/security/audit-export.tsx';
import { localTime, RANGES, utcTime } from '../../client/features/security/audit-filters.tsx';
import { auditSearch } from '../../client/features/security/search-params.ts';
import { startOfLast } from '../../client/lib/period.ts';
import type { AuditRecord } from '../../shared/audit.ts';

describe('the address of the audit trail', () => {
  it('carries every filter, and nothing that is none', () => {
    const filter = {
      action: 'login',
      actor: 'a',
      subject: 'setting:b',
      from: '2026-01-31',
      to: '2026-02-01',
      changes: 'true',
    };
    assert.deepEqual(auditSearch({ ...filter, page_size: '100', other: 'x' }), { ...filter, page_size: 100 });
    assert.deepEqual(auditSearch({ actor: '  ', subject: 7, page_size: '26' }), {});
  });

  it('shows times in the zone of the browser and keeps them in UTC, to the millisecond', () => {
    for (const time of ['2026-01-31T09:00:00.000Z', '2026-07-31T09:00:00.000Z', '2026-01-31T09:00:12.345Z'])
      assert.equal(utcTime(localTime(time)), time);
    assert.equal(localTime(undefined), '');
    assert.equal(localTime('yesterday'), '');
    assert.equal(utcTime(''), undefined);
  });

  it('begins a range on a whole minute, never later than asked', () => {
    const now = Date.parse('2026-01-31T09:00:42.000Z');
    assert.equal(startOfLast('24h', now), '2026-01-30T09:00:00.000Z');
    for (const other of ['h', '0h', '10000h', '24', '24h ', '7d', 'yesterday'])
      assert.equal(startOfLast(other, now), undefined);
    for (const { from } of RANGES) assert.ok(startOfLast(from, now));
  });
});

describe('records in a file', () => {
  const record: AuditRecord = {
    sequence: 7,
    timestamp: '2026-01-31T09:00:00.000Z',
    action: 'identity_search',
    actor: '1f0c2a9b-7d1e-4a55-9e55-0a1b2c3d4e5f',
    target: '=HYPERLINK("http://evil.example","x"),\n"y"',
    subject: null,
    details: { a: null },
  };

  it('are lines of CSV whose cells no spreadsheet runs as formulas', () => {
    const { start, write } = RECORD_WRITERS.csv;
    assert.equal(start, '\uFEFFsequence,timestamp,action,actor,target,subject,details,in words,request,changed\r\n');
    const line = write(record);
    assert.ok(line.includes(`,"'=HYPERLINK(""http://evil.example"",""x""),\n""y""",`), line);
    assert.ok(line.startsWith('7,2026-01-31T09:00:00.000Z,identity_search,1f0c2a9b-'));
    assert.ok(line.includes(',"{""a"":null}",'));
    assert.ok(line.endsWith(',,\r\n'));
  });
});
