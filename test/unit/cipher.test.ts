import assert from 'node:assert/strict';
import { type CipherContext, type CipherProblem, createCipher } from '../../server/crypto/cipher.ts';

const KEY = 'encryption-key-of-these-tests-0123456789-abcde';
const OTHER_KEY = 'another-key-of-these-tests-0123456789-abcdefgh';
const CONTEXT: CipherContext = { setting: 'mail.password' };

const problem = (code: CipherProblem) => ({ name: 'CipherError', code });

describe('the cipher', () => {
  const cipher = createCipher({ current: KEY });

  it('decrypts what it encrypted', () => {
    for (const text of ['', 'secret', '🔑 \u0000\n', 'x'.repeat(65_536)])
      assert.equal(cipher.decrypt(cipher.encrypt(text, CONTEXT), CONTEXT), text);
  });

  it('uses a different IV for each encryption', () => {
    const ivs = Array.from({ length: 100 }, () => cipher.encrypt('secret', CONTEXT).split('.')[2]);
    assert.equal(new Set(ivs).size, ivs.length);
  });

  it('decrypts a ciphertext only in the context it was made for', () => {
    const contexts: CipherContext[] = [
      CONTEXT,
      { setting: 'mail.passwore' },
      { setting: '' },
      { setting: 'value' },
      { setting: 'no setting' },
      { setting: 'setting:mail.password' },
      'no setting',
    ];
    for (const made of contexts)
      for (const used of contexts) {
        const decrypt = () => cipher.decrypt(cipher.encrypt('secret', made), used);
        if (made === used) assert.equal(decrypt(), 'secret');
        else assert.throws(decrypt, problem('not_authentic'));
      }
  });

  it('rejects a ciphertext with any character changed', () => {
    const original = cipher.encrypt('secret', CONTEXT);
    for (let at = 0; at < original.length; at += 1)
      for (const character of ['A', 'B', '_', '.', '=']) {
        if (original[at] === character) continue;
        const changed = original.slice(0, at) + character + original.slice(at + 1);
        assert.throws(() => cipher.decrypt(changed, CONTEXT), { name: 'CipherError' }, changed);
      }
  });

  it('rejects authentication tags shorter or longer than 16 bytes, although Node accepts some of them', () => {
    const [version, id, iv, tag, data] = cipher.encrypt('secret', CONTEXT).split('.');
    const bytes = Buffer.from(tag ?? '', 'base64url');
    for (let length = 0; length <= 15; length += 1) {
      const short = bytes.subarray(0, length).toString('base64url');
      assert.throws(() => cipher.decrypt([version, id, iv, short, data].join('.'), CONTEXT), problem('malformed'));
    }
    const long = Buffer.concat([bytes, bytes]).toString('base64url');
    assert.throws(() => cipher.decrypt([version, id, iv, long, data].join('.'), CONTEXT), problem('malformed'));
  });

  it('rejects a text that is not a ciphertext', () => {
    const [, id, iv, tag, data] = cipher.encrypt('secret', CONTEXT).split('.');
    for (const text of [
      '',
      'secret',
      '....',
      ['v2', id, iv, tag, data].join('.'),
      ['v1', id, iv, tag].join('.'),
      ['v1', id, iv, tag, data, ''].join('.'),
      ['v1', id, `${iv}=`, tag, data].join('.'),
      ['v1', id, 'AAAA', tag, data].join('.'),
      ['v1', id, iv, tag, `${data} `].join('.'),
    ])
      assert.throws(() => cipher.decrypt(text, CONTEXT), problem('malformed'), text);
  });

  it('decrypts with the current and the previous key, and encrypts with the current one', () => {
    const old = createCipher({ current: OTHER_KEY }).encrypt('secret', CONTEXT);
    const rotated = createCipher({ current: KEY, previous: OTHER_KEY });
    assert.equal(rotated.decrypt(old, CONTEXT), 'secret');
    assert.equal(cipher.decrypt(rotated.encrypt('secret', CONTEXT), CONTEXT), 'secret');
  });

  it('rejects a ciphertext made with an unknown key, with a message that contains neither ciphertext nor key', () => {
    const old = createCipher({ current: OTHER_KEY }).encrypt('secret', CONTEXT);
    assert.throws(() => cipher.decrypt(old, CONTEXT), problem('unknown_key'));
    assert.throws(
      () => cipher.decrypt(old, CONTEXT),
      (error: Error) => !error.message.includes(old) && !error.message.includes(KEY),
    );
  });
});
