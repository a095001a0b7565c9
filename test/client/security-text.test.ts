import assert from 'node:assert/strict';
import { formatChain } from '../../client/features/security/audit/format-chain.ts';
import { locksWith } from '../../client/features/security/locks/locks-with.ts';
import { formatFactor } from '../../client/features/security/operators/format-factor.ts';
import { checksByStatus } from '../../client/features/security/posture/checks-by-status.ts';
import { formatReason } from '../../client/format/lock-reason.ts';
import type { AuditChainState } from '../../shared/audit.ts';
import type { LockedAccount } from '../../shared/locked-accounts.ts';
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
  for (const [words, state] of [
    ['The chain has no records yet.', chain({})],
    ['The chain is intact: all 1,203 records verified.', chain({ verified_to: 1203, head: 1203 })],
    ['Checking the chain: 3 of 900 records verified so far.', chain({ status: 'checking', verified_to: 3, head: 900 })],
    [
      'The chain is broken at record 17: it, or one before it, was changed or removed.',
      chain({ status: 'broken', verified_to: 16, head: 900, broken_at: 17 }),
    ],
  ] as const)
    it(`says: ${words}`, () => assert.equal(formatChain(state), words));
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

describe('a locked account', () => {
  it('says why, and after how many attempts', () => {
    assert.equal(formatReason({ reason: 'wrong_password', attempts: 5 }), 'Wrong password, 5 attempts');
    assert.equal(formatReason({ reason: 'by_hand', attempts: 0 }), 'By hand');
    assert.equal(formatReason({ reason: '_', attempts: 1 }), 'Reason unknown, 1 attempt');
  });

  it('is found by part of its identifier, in any case', () => {
    const accounts = ['sam@example.org', 'kim@example.org'].map((identifier) => ({ identifier }) as LockedAccount);
    assert.deepEqual(
      locksWith('SAM', accounts).map(({ identifier }) => identifier),
      ['sam@example.org'],
    );
    assert.equal(locksWith(undefined, accounts).length, 2);
  });
});

describe('the second factor of an operator', () => {
  it('is not reported as missing when it is unknown', () => {
    assert.equal(formatFactor(null).words, 'Second factor unknown');
    assert.equal(formatFactor(false).words, 'No second factor');
    assert.equal(formatFactor(true).words, 'Has a second factor');
  });
});
