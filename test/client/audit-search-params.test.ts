import assert from 'node:assert/strict';
import { resolveTimes } from '../../client/api/audit.ts';
import { RECORD_WRITERS } from '../../client/features/security/audit-export.tsx';
import { formatWhen, localTime, PERIODS, utcTime } from '../../client/features/security/audit-filters.tsx';
import { auditSearch } from '../../client/features/security/search-params.ts';
import { relativeTime } from '../../client/lib/period.ts';
import type { AuditRecord } from '../../shared/audit.ts';

describe('the URL of the audit trail', () => {
  it('contains every filter, and nothing else', () => {
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

  it('selects “changes only” if it has no filter, and keeps the meaning of older URLs', () => {
    assert.deepEqual(auditSearch({ actor: '  ' }), { changes: 'true' });
    assert.deepEqual(auditSearch({ page_size: '100' }), { changes: 'true', page_size: 100 });
    for (const search of [{ action: 'login' }, { changes: 'false' }]) assert.deepEqual(auditSearch(search), search);
  });

  it('has times in UTC to the millisecond, shown in the browser’s zone', () => {
    for (const time of ['2026-01-31T09:00:00.000Z', '2026-07-31T09:00:00.000Z', '2026-01-31T09:00:12.345Z'])
      assert.equal(utcTime(localTime(time)), time);
    assert.equal(localTime(undefined), '');
    assert.equal(localTime('yesterday'), '');
    assert.equal(utcTime(''), undefined);
  });

  it('resolves relative times: hours to a whole minute, days to the operator’s midnight', () => {
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

  it('can be put into words', () => {
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

describe('exported records', () => {
  const record: AuditRecord = {
    sequence: 7,
    timestamp: '2026-01-31T09:00:00.000Z',
    action: 'identity_search',
    actor: '1f0c2a9b-7d1e-4a55-9e55-0a1b2c3d4e5f',
    target: '=HYPERLINK("http://evil.example","x"),\n"y"',
    subject: null,
    details: { a: null },
  };

  it('are lines of CSV without cells that spreadsheets execute as formulas', () => {
    const { start, write } = RECORD_WRITERS.csv;
    assert.equal(start, '\uFEFFsequence,timestamp,action,actor,target,subject,details,in words,request,changed\r\n');
    const line = write(record);
    assert.ok(line.includes(`,"'=HYPERLINK(""http://evil.example"",""x""),\n""y""",`), line);
    assert.ok(line.startsWith('7,2026-01-31T09:00:00.000Z,identity_search,1f0c2a9b-'));
    assert.ok(line.includes(',"{""a"":null}",'));
    assert.ok(line.endsWith(',,\r\n'));
  });
});
