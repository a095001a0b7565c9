import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { formatGap, formatSignIn } from '../../client/lib/sign-in-words.ts';
import { SIGN_IN_EVENTS, SIGN_IN_REASONS, type SignInEvent } from '../../shared/sign-ins.ts';

const ID = '9e0b3c5c-6a1d-4a52-9d7e-6c6c1d5d1a10';
type Case = [words: string, event: SignInEvent['event'], reason?: string, of?: Partial<SignInEvent>];

describe('The sign-in log in words', () => {
  it('blames the password only where the event names the identity', () => {
    const cases: Case[] = [
      ['Signed in', 'LoginSucceeded'],
      ['Wrong password', 'LoginFailed', 'invalid_credentials', { identity_id: ID, method: 'password' }],
      ['Wrong credentials', 'LoginFailed', 'invalid_credentials', { identity_id: ID, method: 'totp' }],
      ['Wrong credentials', 'LoginFailed', 'invalid_credentials', { identity_id: ID }],
      ['Wrong identifier or credentials', 'LoginFailed', 'invalid_credentials', { method: 'password' }],
      ['Wrong identifier or credentials', 'LoginFailed', 'invalid_credentials'],
      ['Wrong identifier or credentials', 'LoginFailed', 'invalid_credentials', { method: 'passkey' }],
      ['Account inactive', 'LoginFailed', 'inactive'],
      ['Sign-in failed', 'LoginFailed', 'other'],
      ['Registration failed: account exists already', 'RegistrationFailed', 'exists_already'],
      ['Token refused: unknown client, or wrong secret', 'OAuth2TokenExchangeError', 'invalid_client'],
      ['Recovery code created by an administrator', 'RecoveryInitiatedByAdmin', undefined, { method: 'code' }],
      ['Recovery link created by an administrator', 'RecoveryInitiatedByAdmin', undefined, { method: 'link' }],
      // Kratos' own sentences, or whatever somebody sent under its name.
      ['Sign-in failed: <b>no</b> ⟨U+202E⟩route', 'LoginFailed', '<b>no</b> \u202eroute'],
      ['Sign-in failed: constructor', 'LoginFailed', 'constructor'],
    ];
    for (const [words, event, reason = null, of] of cases)
      assert.equal(formatSignIn({ event, reason, identity_id: null, method: null, ...of }), words);
  });

  it('has words for every event and every reason', () => {
    for (const event of SIGN_IN_EVENTS)
      for (const reason of [null, ...SIGN_IN_REASONS])
        assert.doesNotMatch(formatSignIn({ event, reason, identity_id: null, method: null }), /undefined|_/);
  });

  it('says of a gap when it was and why', () => {
    const from = '2026-01-31T10:00:00.000Z';
    const gap = { from, to: '2026-01-31T10:12:00.000Z', count: 0, detail: '' };
    const now = Date.parse('2026-01-31T12:00:00Z');
    assert.match(
      formatGap({ ...gap, cause: 'not_listening' }, now),
      /^The dashboard was not listening .* \(twelve minutes\)\.$/,
    );
    assert.match(formatGap({ ...gap, cause: 'silent', detail: 'kratos' }, now), /^kratos sent nothing from /);
    const refused = { ...gap, cause: 'refused', detail: 'key' } as const;
    assert.match(formatGap({ ...refused, count: 1 }, now), /^1 request was refused from .*: wrong key\.$/);
    assert.match(formatGap({ ...refused, count: 1_200 }, now), /^1,200 requests were refused/);
  });
});
