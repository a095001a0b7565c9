import assert from 'node:assert/strict';
import { parseSettingInput } from '../../server/settings/input.ts';
import { isAlwaysEncrypted } from '../../shared/settings.ts';

const INPUT = { key: 'mail.sender', value: 'a@example.com' };

describe('the body of a setting', () => {
  const ACCEPTED: [string, Record<string, unknown>][] = [
    ['a key and a value', INPUT],
    ['everything', { ...INPUT, encrypted: true, category: 'mail' }],
    ['a category that is cleared', { ...INPUT, category: null }],
    ['an empty value', { ...INPUT, value: '' }],
    ['a value of 65,536 bytes', { ...INPUT, value: 'é'.repeat(32_768) }],
    ['a key of 255 characters outside the basic plane', { ...INPUT, key: '🔑'.repeat(255) }],
    ['a key with slashes, percents and quotes', { ...INPUT, key: 'a/b%2F#;\\"\' c' }],
    ['a key named like a member of every object', { ...INPUT, key: '__proto__' }],
  ];
  for (const [title, body] of ACCEPTED)
    it(`may be ${title}`, () => {
      assert.deepEqual(parseSettingInput(body), body);
    });

  const REFUSED: [string, unknown, RegExp][] = [
    ['nothing', undefined, /^The request body must be a JSON object/],
    ['a list', [INPUT], /^The request body/],
    ['no key', { value: '' }, /^key is required/],
    ['no value', { key: 'a' }, /^value is required/],
    ['a key that is a number', { ...INPUT, key: 1 }, /^key must be a string/],
    ['an empty key', { ...INPUT, key: '' }, /^key must have 1 to 255/],
    ['a key of 256 characters outside the basic plane', { ...INPUT, key: '🔑'.repeat(256) }, /^key must have/],
    ['a key with a line break', { ...INPUT, key: 'a\nb' }, /^key must not contain control/],
    ['a key with a leading blank', { ...INPUT, key: ' a' }, /^key must not begin or end/],
    ['the key ..', { ...INPUT, key: '..' }, /^key must not be \. or \.\./],
    ['a key with half a surrogate pair', { ...INPUT, key: 'a\ud83d' }, /^key must be well-formed/],
    ['a value with half a surrogate pair', { ...INPUT, value: '\udd11x' }, /^value must be well-formed/],
    ['a category with half a surrogate pair', { ...INPUT, category: '\ud83d\ud83d' }, /^category must be well/],
    ['a value of fewer characters but more bytes', { ...INPUT, value: '🔑'.repeat(16_385) }, /^value must have/],
    ['a value that is an object', { ...INPUT, value: {} }, /^value must be a string/],
    ['encrypted as a string', { ...INPUT, encrypted: 'true' }, /^encrypted must be true or false/],
    ['an empty category', { ...INPUT, category: '' }, /^category must have 1 to 255/],
    ['an unknown field', { ...INPUT, Encrypted: true }, /^"Encrypted" is not a known field/],
    [
      '__proto__ as a field',
      JSON.parse('{"key":"a","value":"","__proto__":{"encrypted":true}}'),
      /^"__proto__" is not/,
    ],
    [
      'an upstream’s key in plain text',
      { key: 'upstream.oauth.api_key', value: '', encrypted: false },
      /^encrypted must not/,
    ],
    [
      'a client secret in plain text',
      { key: 'social.x.client_secret', value: '', encrypted: false },
      /^encrypted must not/,
    ],
  ];
  for (const [title, body, message] of REFUSED)
    it(`may not be ${title}`, () => {
      assert.throws(() => parseSettingInput(body), { name: 'ApiError', code: 'bad_request', status: 400, message });
    });

  it('never repeats a long or broken field name in full', () => {
    assert.throws(
      () => parseSettingInput({ [`\ud800${'x'.repeat(10_000)}`]: 1 }),
      (error: Error) => error.message.length < 200 && !/\p{Surrogate}/u.test(error.message),
    );
  });

  it('names the keys that hold credentials', () => {
    for (const key of ['upstream.identity-admin.api_key', 'upstream.x.y.api_key', 'social.google.client_secret'])
      assert.equal(isAlwaysEncrypted(key), true, key);
    for (const key of ['upstream.api_key', 'Upstream.x.api_key', 'my.upstream.x.api_key', 'social.google.client_id'])
      assert.equal(isAlwaysEncrypted(key), false, key);
  });
});
