import assert from 'node:assert/strict';
import { formatOperator, operatorsIn } from '../../client/audit-view/operator-names.ts';
import { recordDetails } from '../../client/audit-view/record-details.ts';
import { formatRecord, namedBy, recordSentence, type ToldRecord } from '../../client/audit-view/record-sentence.ts';
import { formatChain } from '../../client/features/security/audit/format-chain.ts';
import { formatReason, locksWith } from '../../client/features/security/locks/format-lock.ts';
import { formatFactor } from '../../client/features/security/operators/format-factor.ts';
import { checksByStatus } from '../../client/features/security/posture/checks-by-status.ts';
import { AUDIT_ACTIONS, type AuditChainState } from '../../shared/audit.ts';
import type { LockedAccount } from '../../shared/locked-accounts.ts';
import type { PostureCheck, PostureStatus } from '../../shared/posture.ts';

const OPERATOR = '1f0c2a9b-7d1e-4a55-9e55-0a1b2c3d4e5f';
const PERSON = '5f3e0a11-2b4c-4d6e-8f00-112233445566';

const record = (told: Partial<ToldRecord>): ToldRecord => ({
  action: 'login',
  actor: OPERATOR,
  target: null,
  subject: null,
  details: {},
  ...told,
});
const proxied = (method: string, path: string, status: number | null, about?: ToldRecord['subject']): ToldRecord =>
  record({
    action: 'proxy_write',
    target: path,
    subject: about ?? null,
    details: { method, status, peer: '10.0.0.7' },
  });

describe('a record of the audit trail, as a sentence', () => {
  for (const [sentence, told] of [
    ['1f0c2a9b signed in as viewer', record({ details: { role: 'viewer' } })],
    ['1f0c2a9b signed in', record({})],
    ['1f0c2a9b signed out', record({ action: 'logout' })],
    [
      'Somebody was refused a sign-in: no role for this dashboard',
      record({ action: 'login_refused', actor: 'anonymous', details: { reason: 'no_role' } }),
    ],
    [
      'Somebody was refused a sign-in 12 times: the request was declined',
      record({ action: 'login_refused', actor: 'anonymous', details: { reason: 'denied', count: 12 } }),
    ],
    [
      '1f0c2a9b was refused a sign-in: of_a_later_release',
      record({ action: 'login_refused', details: { reason: 'of_a_later_release' } }),
    ],
    [
      '1f0c2a9b created the setting mail.from',
      record({ action: 'setting_write', target: 'mail.from', details: { created: true } }),
    ],
    [
      'The command line changed the setting mail.from',
      record({ action: 'setting_write', actor: 'command-line', target: 'mail.from', details: { created: false } }),
    ],
    [
      'The command line re-encrypted the setting mail.key',
      record({
        action: 'setting_write',
        actor: 'command-line',
        target: 'mail.key',
        details: { created: false, rekeyed: true },
      }),
    ],
    [
      'The service sealed the records up to 7, after a change of the signing key',
      record({ action: 'audit_anchor', actor: 'service', details: { up_to: 7, tag: 'a', digest: 'b' } }),
    ],
    ['1f0c2a9b saved the setting mail.from', record({ action: 'setting_write', target: 'mail.from' })],
    ['1f0c2a9b deleted the setting mail.from', record({ action: 'setting_delete', target: 'mail.from' })],
    ['1f0c2a9b revealed the setting mail.key', record({ action: 'setting_decrypt', target: 'mail.key' })],
    [
      '1f0c2a9b tried to reveal the setting, which could not be decrypted: mail.key',
      record({ action: 'setting_decrypt', target: 'mail.key', details: { opened: false } }),
    ],
    ['1f0c2a9b encrypted a value', record({ action: 'value_encrypt' })],
    ['1f0c2a9b encrypted a value for mail.key', record({ action: 'value_encrypt', target: 'mail.key' })],
    [
      '1f0c2a9b ended the dashboard sessions of the identity 5f3e0a11',
      record({ action: 'session_revoke', target: PERSON }),
    ],
    ['1f0c2a9b unlocked the account sam@example.org', record({ action: 'account_unlock', target: 'sam@example.org' })],
    ['1f0c2a9b listed identities', record({ action: 'identity_search' })],
    [
      '1f0c2a9b searched identities for sam@example.org',
      record({ action: 'identity_search', target: 'sam@example.org' }),
    ],
    [
      '1f0c2a9b deleted the identity 5f3e0a11',
      proxied('DELETE', `/api/identity-admin/admin/identities/${PERSON}`, 204, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b created the identity 5f3e0a11',
      proxied('POST', '/api/iam-identity-admin/identities', 201, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b ended all sessions of the identity 5f3e0a11',
      proxied('DELETE', `/api/identity-admin/admin/identities/${PERSON}/sessions`, 204, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b tried to change the identity 5f3e0a11 – it was refused with status 409',
      proxied('PATCH', `/api/identity-admin/admin/identities/${PERSON}`, 409, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b tried to change the identity 5f3e0a11 – it was refused with status 404',
      proxied('PATCH', `/api/identity-admin/admin/identities/${PERSON}`, 404, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b tried to end all sessions of the identity 5f3e0a11 – it failed with status 502',
      proxied('DELETE', `/api/identity-admin/admin/identities/${PERSON}/sessions`, 502, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b asked to end all sessions of the identity 5f3e0a11 – there were none',
      proxied('DELETE', `/api/identity-admin/admin/identities/${PERSON}/sessions`, 404, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b asked to delete a credential of the identity 5f3e0a11 – there was none',
      proxied('DELETE', `/api/identity-admin/identities/${PERSON}/credentials/totp`, 404, `identity:${PERSON}`),
    ],
    [
      '1f0c2a9b asked to end the session 5f3e0a11 – it did not exist',
      proxied('DELETE', `/api/identity-admin/admin/sessions/${PERSON}`, 404, `session:${PERSON}`),
    ],
    [
      '1f0c2a9b asked to delete the client my app – it did not exist',
      proxied('DELETE', '/api/oauth-admin/admin/clients/my%20app', 404, 'client:my app'),
    ],
    [
      '1f0c2a9b tried to send DELETE /api/oauth-admin/admin/other – it was refused with status 404',
      proxied('DELETE', '/api/oauth-admin/admin/other', 404),
    ],
    [
      '1f0c2a9b tried to change the token lifespans of the client a/b – it failed with status 502',
      proxied('PUT', '/api/oauth-admin/admin/clients/a%2Fb/lifespans', 502, 'client:a/b'),
    ],
    [
      '1f0c2a9b tried to delete the client my app – the outcome is unknown',
      proxied('DELETE', '/api/oauth-admin/admin/clients/my%20app', null, 'client:my app'),
    ],
    ['1f0c2a9b created or changed several identities', proxied('PATCH', '/api/identity-admin/admin/identities', 200)],
    [
      'A caller without a session sent POST /api/oauth-admin/admin/keys/x',
      { ...proxied('POST', '/api/oauth-admin/admin/keys/x', 201), actor: 'anonymous' },
    ],
  ] as const) {
    it(`reads: ${sentence}`, () => assert.equal(formatRecord(told), sentence));
  }

  it('calls the signed-in operator "You", and nobody else', () => {
    assert.equal(formatRecord(record({}), OPERATOR), 'You signed in');
    assert.equal(formatRecord(record({}), PERSON), '1f0c2a9b signed in');
  });

  it('names operators as they are called, where that is known', () => {
    const called = (id: string): string | undefined => (id === OPERATOR ? 'ada@example.org' : undefined);
    assert.equal(formatRecord(record({}), undefined, called), 'ada@example.org signed in');
    assert.equal(formatRecord(record({}), OPERATOR, called), 'You signed in');
    const revoked = record({ action: 'session_revoke', actor: PERSON, target: OPERATOR });
    assert.equal(
      formatRecord(revoked, undefined, called),
      '5f3e0a11 ended the dashboard sessions of the identity ada@example.org',
    );
    const records = [record({}), revoked, record({ actor: 'service', target: PERSON })];
    assert.deepEqual(operatorsIn(records, OPERATOR), [PERSON, OPERATOR]);
  });

  it('tells an operator by the e-mail address, and never by a name alone, which may be anybody’s', () => {
    const operator = { identity_id: OPERATOR, name: 'The service', email: 'ada@example.org' };
    assert.equal(formatOperator(operator), 'ada@example.org');
    assert.equal(formatOperator({ ...operator, email: null }), 'The service (1f0c2a9b)');
    assert.equal(formatOperator({ ...operator, email: null, name: null }), undefined);
    assert.equal(formatOperator(undefined), undefined);
    assert.equal(formatOperator({ ...operator, email: 'a\u202eda@example.org' }), 'a⟨U+202E⟩da@example.org');
  });

  it('is there for every action, and for one that a later release records', () => {
    for (const action of AUDIT_ACTIONS) assert.match(formatRecord(record({ action })), /^1f0c2a9b \w/);
    assert.equal(formatRecord(record({ action: 'of_later' as never })), '1f0c2a9b of_later');
  });

  it('names its actor and subject with full ids', () => {
    const names = recordSentence(
      proxied('DELETE', `/api/identity-admin/identities/${PERSON}`, 204, `identity:${PERSON}`),
    )
      .map((part) => part.names)
      .filter((thing) => thing !== undefined);
    assert.deepEqual(names, [
      { kind: 'operator', id: OPERATOR },
      { kind: 'identity', id: PERSON },
    ]);
    assert.deepEqual(namedBy('setting:a:b'), { kind: 'setting', id: 'a:b' });
    assert.equal(namedBy('place:x'), undefined);
    assert.equal(namedBy('setting:'), undefined);
    for (const actor of ['anonymous', 'command-line', 'service'])
      assert.deepEqual(
        recordSentence(record({ actor })).flatMap((part) => part.names ?? []),
        [],
      );
  });

  it('is followed by what changed only where the record says it', () => {
    assert.deepEqual(
      recordDetails(record({ action: 'setting_write', details: { encrypted: true, category: 'mail' } })),
      ['stored encrypted', 'category mail'],
    );
    assert.deepEqual(recordDetails(record({ action: 'setting_write' })), []);
    assert.deepEqual(recordDetails(proxied('PUT', '/api/oauth-admin/clients/x', 200)), [
      'PUT /api/oauth-admin/clients/x',
      'status 200',
      'from 10.0.0.7',
    ]);
  });
});

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
