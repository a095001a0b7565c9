import assert from 'node:assert/strict';
import { keyOf } from '../../client/lib/keys.ts';

describe('the key of a shortcut', () => {
  it('is the Latin letter at the position of a letter of another script; Latin letters and signs stay as typed', () => {
    for (const [code, keys, result] of [
      ['KeyK', ['л', 'λ', 'ל', 'ن', 'ㅏ', 'า', 'لا', '่'], 'k'],
      ['KeyM', ['t', 'K', 'ĸ', ',', '?', 'µ', '٠', 'Enter', 'Process'], undefined],
      ['BracketLeft', ['х', '['], undefined],
    ] as const)
      for (const key of keys) assert.equal(keyOf({ key, code, shiftKey: false }), result ?? key, key);
    assert.equal(keyOf({ key: 'Л', code: 'KeyK', shiftKey: true }), 'K');
  });
});
