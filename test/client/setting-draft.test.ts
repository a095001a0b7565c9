import assert from 'node:assert/strict';
import { deletionConsequences } from '../../client/features/settings/deleted-settings.tsx';
import {
  draftOf,
  draftProblems,
  emptyDraft,
  inputOf,
  withoutSecret,
} from '../../client/features/settings/setting-draft.ts';
import { differingPart } from '../../client/features/settings/setting-values.tsx';
import type { Setting } from '../../shared/settings.ts';

const secret: Setting = {
  key: 'k',
  value: 'v1.cipher',
  encrypted: true,
  category: 'c',
  updated_at: '2026-01-01T00:00:00.000Z',
};
const plain: Setting = { ...secret, value: 'plain', encrypted: false };

describe('the form of a setting', () => {
  it('opens without the ciphertext of an encrypted value', () => {
    assert.equal(draftOf(secret).value, '');
    assert.equal(draftOf(plain).value, 'plain');
  });

  it('sends only changes in an update, so that a value that was encrypted in the meantime stays encrypted', () => {
    const before = draftOf(plain);
    assert.deepEqual(inputOf({ ...before, value: 'new' }, before), { key: 'k', value: 'new' });
    assert.deepEqual(inputOf({ ...before, category: ' ' }, before), { key: 'k', value: 'plain', category: null });
    assert.deepEqual(inputOf({ ...before, encrypted: true }, before), { key: 'k', value: 'plain', encrypted: true });
  });

  it('starts encrypted for a key that looks like that of a secret', () => {
    for (const key of ['mail.smtp.password', 'stripe.apiKey', 'API_KEY', 'a.token', 'jwt-secret', 'db.private_key'])
      assert.ok(emptyDraft(key).encrypted, key);
    for (const key of ['upstream.retired.api_key', 'social.google.client_secret']) assert.ok(emptyDraft(key).encrypted);
    for (const key of ['mail.smtp.host', 'monkey', 'tokenizer', 'social.order', 'social.token.scopes', ''])
      assert.ok(!emptyDraft(key).encrypted, key);
  });

  it('rejects an empty encrypted value, but stores an empty plain one', () => {
    assert.ok(draftProblems(draftOf(secret), secret).value);
    assert.deepEqual(draftProblems({ ...draftOf(plain), value: '' }, plain), {});
  });

  it('rejects an upstream key that no header can contain, before it locks anyone out', () => {
    const draft = { key: 'upstream.identity-admin.api_key', value: 'two words', encrypted: true, category: '' };
    assert.ok(draftProblems(draft, undefined).value);
    assert.ok(draftProblems({ ...draft, value: '' }, undefined).value);
    assert.deepEqual(draftProblems({ ...draft, value: 'one-word' }, undefined), {});
  });

  it('is kept during a sign-in, without secret values', () => {
    for (const [draft, setting, value] of [
      [draftOf(plain), plain, 'typed'],
      [draftOf(secret), secret, ''],
      [{ ...draftOf(secret), encrypted: false }, secret, ''],
      [{ ...draftOf(plain), key: 'stripe.api_key' }, undefined, ''],
    ] as const)
      assert.equal(withoutSecret({ ...draft, value: 'typed' }, setting).value, value);
  });

  it('must be confirmed by typing the key before it is deleted, if it is encrypted or the key of an upstream', () => {
    const typed = (setting: Setting) => deletionConsequences(setting).typeKey;
    assert.deepEqual(
      [typed(plain), typed(secret), typed({ ...plain, key: 'upstream.oauth.api_key' })],
      [false, true, true],
    );
  });

  it('shows what differs between two values of a setting', () => {
    for (const [text, other, ...parts] of [
      ['smtp.old.example', 'smtp.new.example', 'smtp.', 'old', '.example'],
      ['same', 'same', 'same', '', ''],
      ['aaa', 'aa', 'aa', 'a', ''],
      ['line one\nline two\n', 'line one\nline 2\n', 'line one\nline ', 'two', '\n'],
      // Half of each is the same.
      ['a\u{1f600}b', 'a\u{1fa00}b', 'a', '\u{1f600}', 'b'],
    ] as const)
      assert.deepEqual(differingPart(text, other), parts);
  });
});
