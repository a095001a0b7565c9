import assert from 'node:assert/strict';
import { parseExportArguments, parsePruneArguments, parseVerifyArguments } from '../../server/audit/trail-arguments.ts';

const TAG = 'A'.repeat(43);
const PLACE = `3:${TAG}`;
const place = { sequence: 3, tag: TAG };

describe('the arguments of the commands on the audit trail', () => {
  it('name a place, or none', () => {
    assert.deepEqual(parseVerifyArguments([]), { expected: undefined });
    assert.deepEqual(parseVerifyArguments(['--expect', PLACE]), { expected: place });
    assert.deepEqual(parseExportArguments([]), { after: undefined });
    assert.deepEqual(parseExportArguments([`--after=${PLACE}`]), { after: place });
    for (const parse of [parseVerifyArguments, parseExportArguments])
      for (const args of [
        ['--expect'],
        ['--after'],
        ['--expect', ''],
        ['--after', ''],
        ['--expect', '3'],
        ['--after', '3'],
        ['--expect', PLACE, '--after', PLACE],
        ['--expect', PLACE, '--expect', PLACE],
        ['--after', PLACE, '--after', PLACE],
        [PLACE],
        ['--all'],
      ])
        assert.equal(parse(args), undefined, args.join(' '));
  });

  it('of a prune name a day and a place, in any order', () => {
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
    for (const day of ['', 'yesterday', '2026-02-29', '2026-13-01', '2026-1-1', '2026-01-01T00:00:00Z', '20260101'])
      assert.equal(parsePruneArguments(['--before', day, '--exported', PLACE]), undefined, day);
  });
});
