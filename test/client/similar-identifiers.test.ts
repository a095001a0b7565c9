import assert from 'node:assert/strict';
import { isSimilar, similarParts } from '../../client/features/identities/diagnosis/similar-parts.ts';

describe('similar identifiers', () => {
  it('differ in case, accents, dots, a tag, a domain, or one letter', () => {
    for (const [one, other] of [
      ['ada.lovelace@example.org', 'AdaLovelace@example.com'],
      ['ada.lovelace+shop@example.org', 'ada.lovelace@example.org'],
      ['ada.lovelace@example.org', 'ada.lovelaca@example.org'],
      ['ada.lovelace@example.org', 'ada.lovlace@example.org'],
      ['ada.lovelace@example.org', 'ada.lovelcae@example.org'],
      ['rené@example.org', 'rene@example.org'],
    ] as const) {
      assert.ok(isSimilar(one, other), `${one} ${other}`);
      assert.ok(isSimilar(other, one), `${other} ${one}`);
    }
    for (const [one, other] of [
      ['ada.lovelace@example.org', 'ada.byron@example.org'],
      ['ada.lovelace@example.org', 'ada.lovexxce@example.org'],
      ['ada.lovelace@example.org', 'ada.love@example.org'],
      ['abcd', 'badc'],
      ['@example.org', '@example.com'],
    ] as const)
      assert.ok(!isSimilar(one, other), `${one} ${other}`);
  });

  it('are searched for by halves, so that one mistake leaves one of them whole', () => {
    assert.deepEqual(similarParts('Ada.Lovelace+x@example.org'), ['ada.lo', 'velace']);
    assert.deepEqual(similarParts('abcde@example.org'), ['abc']);
    assert.deepEqual(similarParts('abab@example.org'), []);
    assert.deepEqual(similarParts('abcabc'), ['abc']);
  });
});
