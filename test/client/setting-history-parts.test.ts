import assert from 'node:assert/strict';
import { differingPart } from '../../client/features/settings/history/differing-part.ts';
import { latestDeletions } from '../../client/features/settings/history/latest-deletions.ts';
import type { AuditRecord } from '../../shared/audit.ts';

describe('what differs between two values of a setting', () => {
  for (const [text, other, ...parts] of [
    ['smtp.old.example', 'smtp.new.example', 'smtp.', 'old', '.example'],
    ['same', 'same', 'same', '', ''],
    ['', 'x', '', '', ''],
    ['x', '', '', 'x', ''],
    ['aa', 'aaa', 'aa', '', ''],
    ['aaa', 'aa', 'aa', 'a', ''],
    ['line one\nline two\n', 'line one\nline 2\n', 'line one\nline ', 'two', '\n'],
    // Their halves are the same: the first ones of the first two, the last ones of the last two.
    ['a😀b', 'a😁b', 'a', '😀', 'b'],
    ['a\u{1f600}b', 'a\u{1fa00}b', 'a', '\u{1f600}', 'b'],
    ['a\u{1f600}b', 'a\u{1fe00}b', 'a', '\u{1f600}', 'b'],
  ] as const)
    it(`is found in ${JSON.stringify(text)} beside ${JSON.stringify(other)}`, () => {
      assert.deepEqual(differingPart(text, other), parts);
      assert.equal(differingPart(text, other).join(''), text);
    });
});

describe('the deleted settings', () => {
  it('are named once each, by their last deletion', () => {
    const record = (sequence: number, target: string | null): AuditRecord => ({
      ...{ sequence, target, action: 'setting_delete', actor: 'x', subject: null, details: {} },
      timestamp: '2026-01-01T00:00:00.000Z',
    });
    const deletions = latestDeletions([record(9, 'a'), record(7, 'b'), record(5, 'a'), record(3, null)]);
    assert.deepEqual(
      deletions.map(({ sequence }) => sequence),
      [9, 7],
    );
  });
});
