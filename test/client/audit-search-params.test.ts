import assert from 'node:assert/strict';
import { resolveTimes } from '../../client/api/audit.ts';
import { RECORD_WRITERS } from '../../client/features/security/audit-export.tsx';
import { formatWhen, localTime, PERIODS, utcTime } from '../../client/features/security/audit-filters.tsx';
import { auditSearch } from '../../client/features/security/search-params.ts';
import { relativeTime } from '../../client/lib/period.ts';
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
    assert.deepEqual(auditSearch({ actor: 'a', subject: 7, page_size: '26' }), { actor: 'a' });
  });

  it('says “changes only” where it has no filter, and leaves the meaning of older addresses alone', () => {
    assert.deepEqual(auditSearch({ actor: '  ' }), { changes: 'true' });
    assert.deepEqual(auditSearch({ page_size: '100' }), { changes: 'true', page_size: 100 });
    for (const search of [{ action: 'login' }, { changes: 'false' }]) assert.deepEqual(auditSearch(search), search);
  });

  it('shows times in the zone of the browser and keeps them in UTC, to the millisecond', () => {
    for (const time of ['2026-01-31T09:00:00.000Z', '2026-07-31T09:00:00.000Z', '2026-01-31T09:00:12.345Z'])
      assert.equal(utcTime(localTime(time)), time);
    assert.equal(localTime(undefined), '');
    assert.equal(localTime('yesterday'), '');
    assert.equal(utcTime(''), undefined);
  });

  it('has times that move with the clock: hours end on a whole minute, days at midnight of the operator', () => {
    const now = Date.parse('2026-01-31T09:00:42.000Z');
    assert.equal(relativeTime('24h', now), '2026-01-30T09:00:00.000Z');
    const midnight = new Date(now);
    midnight.setHours(0, 0, 0, 0);
    assert.equal(relativeTime('0d', now), midnight.toISOString());
    for (const other of ['h', '0h', '10000h', '24', '24h ', '-1d', 'yesterday'])
      assert.equal(relativeTime(other, now), undefined);
    for (const { from, to } of PERIODS) {
      const fixed = resolveTimes({ from, ...(to && { to }) }, now);
      assert.ok(Date.parse(fixed.from) < (fixed.to === undefined ? now : Date.parse(fixed.to)), from);
    }
  });

  it('reads as words', () => {
    for (const [when, words] of [
      [{ from: '1d', to: '0d' }, 'Yesterday'],
      [{ from: '168h' }, 'Last 7 days'],
      [{ from: 'whenever' }, 'from whenever'],
      [{ to: localNoon }, 'before 31 Jan 2025, 12:00'],
      [{ from: localNoon, to: 'x' }, '31 Jan 2025, 12:00 to x'],
    ] as const)
      assert.equal(formatWhen(when), words);
  });
});

const localNoon = new Date(2025, 0, 31, 12).toISOString();

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
