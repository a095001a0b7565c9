import assert from 'node:assert/strict';
import { formatChain } from '../../client/features/security/audit/format-chain.ts';
import { checksByStatus } from '../../client/features/security/posture/checks-by-status.ts';
import type { AuditChainState } from '../../shared/audit.ts';
import type { PostureCheck, PostureStatus } from '../../shared/posture.ts';

describe('the state of the chain, in words', () => {
  const chain = (told: Partial<AuditChainState>): AuditChainState => ({
    status: 'whole',
    verified_to: 0,
    head: 0,
    broken_at: null,
    as_of: '2026-01-31T09:00:00.000Z',
    ...told,
  });
  it('says how far it was verified', () => {
    assert.equal(formatChain(chain({})), 'The chain has no records yet.');
    const checking = chain({ status: 'checking', verified_to: 3, head: 900 });
    assert.equal(formatChain(checking), 'Checking the chain: 3 of 900 records verified so far.');
  });
});

describe('checks of the posture', () => {
  const check = (title: string, status: PostureStatus): PostureCheck => ({
    id: 'clock',
    title,
    status,
    detail: '',
    why: '',
    action: '',
  });
  it('stand in groups, the worst first, none left out and no group empty', () => {
    const groups = checksByStatus([
      check('a', 'pass'),
      check('b', 'warn'),
      check('c', 'fail'),
      check('d', 'of_a_later_release' as never),
    ]);
    assert.deepEqual(
      groups.map(({ title, checks, quiet }) => [title, quiet, checks.map((one) => one.title).join('')]),
      [
        ['Needs attention', false, 'cb'],
        ['Unknown', false, 'd'],
        ['Passing', true, 'a'],
      ],
    );
    assert.deepEqual(checksByStatus([]), []);
  });
});
