import assert from 'node:assert/strict';
import { type CipherContext, type CipherProblem, createCipher } from '../../server/crypto/cipher.ts';

const KEY = 'encryption-key-of-these-tests-0123456789-abcde';
const OTHER = 'another-key-of-these-tests-0123456789-abcdefgh';
const HERE: CipherContext = { setting: 'mail.password' };

const refused = (code: CipherProblem) => ({ name: 'CipherError', code });

describe('the cipher', () => {
  const cipher = createCipher({ current: KEY });

  it('opens what it sealed', () => {
    for (const text of ['', 'secret', '🔑 \u0000\n', 'x'.repeat(65_536)])
      assert.equal(cipher.decrypt(cipher.encrypt(text, HERE), HERE), text);
  });

  it('takes a fresh IV each time', () => {
    const ivs = Array.from({ length: 100 }, () => cipher.encrypt('secret', HERE).split('.')[2]);
    assert.equal(new Set(ivs).size, ivs.length);
  });

  it('decrypts a ciphertext only in the context it was made for', () => {
    const contexts: CipherContext[] = [
      HERE,
      { setting: 'mail.passwore' },
      { setting: '' },
      { setting: 'value' },
      { setting: 'no setting' },
      { setting: 'setting:mail.password' },
      'no setting',
    ];
    for (const made of contexts)
      for (const used of contexts) {
        const open = () => cipher.decrypt(cipher.encrypt('secret', made), used);
        if (made === used) assert.equal(open(), 'secret');
        else assert.throws(open, refused('not_authentic'));
      }
  });

  it('refuses a ciphertext that was changed at any place', () => {
    const whole = cipher.encrypt('secret', HERE);
    for (let at = 0; at < whole.length; at += 1)
      for (const character of ['A', 'B', '_', '.', '=']) {
        if (whole[at] === character) continue;
        const changed = whole.slice(0, at) + character + whole.slice(at + 1);
        assert.throws(() => cipher.decrypt(changed, HERE), { name: 'CipherError' }, changed);
      }
  });

  it('refuses tags of any other length, which Node would take', () => {
    const [version, id, iv, tag, data] = cipher.encrypt('secret', HERE).split('.');
    const bytes = Buffer.from(tag ?? '', 'base64url');
    for (let length = 0; length <= 15; length += 1) {
      const short = bytes.subarray(0, length).toString('base64url');
      assert.throws(() => cipher.decrypt([version, id, iv, short, data].join('.'), HERE), refused('malformed'));
    }
    const long = Buffer.concat([bytes, bytes]).toString('base64url');
    assert.throws(() => cipher.decrypt([version, id, iv, long, data].join('.'), HERE), refused('malformed'));
  });

  it('rejects anything that is not a ciphertext', () => {
    const [, id, iv, tag, data] = cipher.encrypt('secret', HERE).split('.');
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
      assert.throws(() => cipher.decrypt(text, HERE), refused('malformed'), text);
  });

  it('opens with the previous keys, seals with the current one, and says nothing of a key', () => {
    const old = createCipher({ current: OTHER }).encrypt('secret', HERE);
    const rotated = createCipher({ current: KEY, previous: OTHER });
    assert.equal(rotated.decrypt(old, HERE), 'secret');
    assert.equal(cipher.decrypt(rotated.encrypt('secret', HERE), HERE), 'secret');
    assert.throws(() => cipher.decrypt(old, HERE), refused('unknown_key'));
    assert.throws(
      () => cipher.decrypt(old, HERE),
      (error: Error) => !error.message.includes(old) && !error.message.includes(KEY),
    );
  });
});
