import assert from 'node:assert/strict';
import { parseSettingInput } from '../../server/features/settings.ts';
import { isAlwaysEncrypted } from '../../shared/settings.ts';

const INPUT = { key: 'mail.sender', value: 'a@example.com' };

describe('the body of a written setting', () => {
  const ACCEPTED: [what: string, body: Record<string, unknown>][] = [
    ['a key and a value', INPUT],
    ['all fields', { ...INPUT, encrypted: true, category: 'mail' }],
    ['a category that is null', { ...INPUT, category: null }],
    ['an empty value', { ...INPUT, value: '' }],
    ['a value of 65,536 bytes', { ...INPUT, value: 'é'.repeat(32_768) }],
    ['a key of 255 characters outside the basic plane', { ...INPUT, key: '🔑'.repeat(255) }],
    ['a key with slashes, percents and quotes', { ...INPUT, key: 'a/b%2F#;\\"\' c' }],
    ['the key __proto__', { ...INPUT, key: '__proto__' }],
  ];
  it('is accepted with any allowed key, value and category', () => {
    for (const [what, body] of ACCEPTED) assert.deepEqual(parseSettingInput(body), body, what);
  });

  const plain = (key: string) => ({ key, value: '', encrypted: false });
  const REFUSED: [what: string, body: unknown, message: RegExp][] = [
    ['is missing', undefined, /^The request body must be a JSON object/],
    ['is a list', [INPUT], /^The request body/],
    ['has no key', { value: '' }, /^key is required/],
    ['has no value', { key: 'a' }, /^value is required/],
    ['has a key that is a number', { ...INPUT, key: 1 }, /^key must be a string/],
    ['has an empty key', { ...INPUT, key: '' }, /^key must have 1 to 255/],
    ['has a key of 256 characters outside the basic plane', { ...INPUT, key: '🔑'.repeat(256) }, /^key must have/],
    ['has a key with a line break', { ...INPUT, key: 'a\nb' }, /^key must not contain control/],
    ['has a key with a leading space', { ...INPUT, key: ' a' }, /^key must not begin or end/],
    ['has the key ..', { ...INPUT, key: '..' }, /^key must not be \. or \.\./],
    ['has a key with half a surrogate pair', { ...INPUT, key: 'a\ud83d' }, /^key must be well-formed/],
    ['has a value with half a surrogate pair', { ...INPUT, value: '\udd11x' }, /^value must be well-formed/],
    ['has a category with half a surrogate pair', { ...INPUT, category: '\ud83d\ud83d' }, /^category must be well/],
    ['has a value over 65,536 bytes in fewer characters', { ...INPUT, value: '🔑'.repeat(16_385) }, /^value must have/],
    ['has a value that is an object', { ...INPUT, value: {} }, /^value must be a string/],
    ['has a string as the value of encrypted', { ...INPUT, encrypted: 'true' }, /^encrypted must be true or false/],
    ['has an empty category', { ...INPUT, category: '' }, /^category must have 1 to 255/],
    ['has an unknown field', { ...INPUT, Encrypted: true }, /^"Encrypted" is not a known field/],
    ['has the field __proto__', JSON.parse('{"key":"a","value":"","__proto__":{"encrypted":true}}'), /^"__proto__" is/],
    ['stores the key of an upstream in plain text', plain('upstream.oauth.api_key'), /^encrypted must not/],
    ['stores an unfit key', { key: 'upstream.oauth.api_key', value: 'a b' }, /^value must be printable ASCII/],
    ['stores a client secret in plain text', plain('social.x.client_secret'), /^encrypted must not/],
  ];
  for (const [what, body, message] of REFUSED)
    it(`is refused with 400 if it ${what}`, () => {
      assert.throws(() => parseSettingInput(body), { name: 'ApiError', code: 'bad_request', status: 400, message });
    });

  it('is refused with a short, well-formed message if the name of a field is long or malformed', () => {
    assert.throws(
      () => parseSettingInput({ [`\ud800${'x'.repeat(10_000)}`]: 1 }),
      (error: Error) => error.message.length < 200 && !/\p{Surrogate}/u.test(error.message),
    );
  });
});

describe('a setting that contains a credential', () => {
  it('is recognised by its key', () => {
    for (const key of ['upstream.identity-admin.api_key', 'upstream.x.y.api_key', 'social.google.client_secret'])
      assert.equal(isAlwaysEncrypted(key), true, key);
    for (const key of ['upstream.api_key', 'Upstream.x.api_key', 'my.upstream.x.api_key', 'social.google.client_id'])
      assert.equal(isAlwaysEncrypted(key), false, key);
  });
});
