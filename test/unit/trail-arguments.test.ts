import assert from 'node:assert/strict';
import { parsePruneArguments, parseRecordArgument } from '../../server/audit/commands.ts';
import { formatVerdict, isAsExpected } from '../../server/audit/verify.ts';

const TAG = 'kq3Nv0_-'.padEnd(43, 'x');
const PLACE = `3:${TAG}`;
const place = { sequence: 3, tag: TAG };

describe('the commands on the audit trail', () => {
  it('verify and export with one place or none', () => {
    for (const name of ['expect', 'after'] as const) {
      assert.deepEqual(parseRecordArgument([], name), { record: undefined });
      assert.deepEqual(parseRecordArgument([`--${name}`, PLACE], name), { record: place });
      assert.deepEqual(parseRecordArgument([`--${name}=${PLACE}`], name), { record: place });
      for (const args of [
        ['--expect', ''],
        ['--after', '3'],
        ['--expect', PLACE, '--after', PLACE],
        ['--expect', PLACE, '--expect', PLACE],
        ['--after', PLACE, '--after', PLACE],
        [PLACE],
        ['--all'],
      ])
        assert.equal(parseRecordArgument(args, name), undefined, args.join(' '));
    }
  });

  it('prune with a day and a place, in any order', () => {
    const request = { before: '2028-02-29T00:00:00.000Z', exported: place };
    assert.deepEqual(parsePruneArguments(['--before', '2028-02-29', '--exported', PLACE]), request);
    assert.deepEqual(parsePruneArguments(['--exported', PLACE, '--before', '2028-02-29']), request);
    for (const args of [
      [],
      ['--before', '2026-01-01'],
      ['--exported', PLACE],
      ['--before', '2026-01-01', '--exported', '3'],
      ['--before', '2026-01-01', '--exported', PLACE, 'now'],
      ['--before', '2026-01-01', '--before', '2026-01-02', '--exported', PLACE],
    ])
      assert.equal(parsePruneArguments(args), undefined, args.join(' '));
    for (const day of ['', 'yesterday', '2026-02-29', '2026-13-01', '2026-1-1', '2026-01-01T00:00:00Z'])
      assert.equal(parsePruneArguments(['--before', day, '--exported', PLACE]), undefined, day);
  });

  it('report a pruned trail, and a pruned record that was expected as one that cannot be checked', () => {
    const start = { sequence: 4, tag: TAG };
    const head = { sequence: 9, tag: TAG };
    const verdict = { ok: true, records: 5, byDigest: [], start, leftOver: true, head } as const;
    const lines = [
      'The audit trail is intact: 5 records.',
      `Pruned: all records up to 4:${TAG}`,
      'Some of these are still stored: repeat audit:prune to remove them.',
      `Its last record is 9:${TAG}`,
    ];
    for (const expected of [undefined, start, { sequence: 5, tag: TAG }]) {
      assert.equal(formatVerdict(verdict, expected), `${lines.join('\n')}\n`);
      assert.equal(isAsExpected(verdict, expected), true);
    }
    const last = 'Record 3 was pruned, so it cannot be checked: look for it in an export.';
    assert.equal(formatVerdict(verdict, place), `${[...lines, last].join('\n')}\n`);
    assert.equal(isAsExpected(verdict, place), false);
  });
});
