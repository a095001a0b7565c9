import assert from 'node:assert/strict';
import { keysOf, pointerTo } from '../../client/lib/json-pointer.ts';
import { sameJson, withMember } from '../../client/resource/form/json-value.ts';
import { applied, memberChanges, patchOf, touches } from '../../client/resource/form/member-changes.ts';

describe('the difference between two versions of an identity', () => {
  it('names the deepest members that differ, and takes lists as one value', () => {
    const before = { traits: { name: { first: 'Ada', last: 'Old' }, tags: ['a', 'b'] }, metadata_public: null };
    const after = { traits: { name: { first: 'Ada' }, tags: ['a'], locale: 'en' }, metadata_public: { plan: 'gold' } };
    assert.deepEqual(memberChanges(before, after), [
      { path: '/traits/name/last', before: 'Old', after: undefined },
      { path: '/traits/tags', before: ['a', 'b'], after: ['a'] },
      { path: '/traits/locale', before: undefined, after: 'en' },
      { path: '/metadata_public', before: null, after: { plan: 'gold' } },
    ]);
  });

  it('is empty for equal documents, whatever the order of their members', () => {
    assert.deepEqual(memberChanges({ a: 1, b: { c: [1, { d: null }] } }, { b: { c: [1, { d: null }] }, a: 1 }), []);
  });

  it('becomes a patch that adds, replaces and removes members, and tests nothing', () => {
    const changes = memberChanges({ a: 1, b: 2, n: null }, { b: 3, c: { d: 1 }, n: {} });
    assert.deepEqual(patchOf(changes), [
      { op: 'remove', path: '/a' },
      { op: 'replace', path: '/b', value: 3 },
      { op: 'replace', path: '/n', value: {} },
      { op: 'add', path: '/c', value: { d: 1 } },
    ]);
  });

  it('turns the one into the other when it is applied', () => {
    const before = { 'a/b': { '~': 1, keep: true }, list: [1], gone: { x: 1 } };
    const after = { 'a/b': { '~': 2, keep: true }, list: [1, 2], fresh: { y: { z: 1 } } };
    assert.deepEqual(applied(before, memberChanges(before, after)), after);
    assert.deepEqual(
      before,
      { 'a/b': { '~': 1, keep: true }, list: [1], gone: { x: 1 } },
      'nothing is changed in place',
    );
  });

  it('makes the parents that somebody else took away', () => {
    const [change] = memberChanges({ name: { first: 'Ada' } }, { name: { first: 'Eve' } });
    assert.ok(change);
    assert.deepEqual(applied({}, [change]), { name: { first: 'Eve' } });
  });

  it('leaves prototypes alone whatever members are called', () => {
    const after = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
    const result = applied({}, memberChanges({}, after));
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    assert.deepEqual(Object.keys(result).sort(), ['__proto__', 'constructor']);
  });

  for (const [a, b, expected] of [
    ['/traits/name', '/traits/name', true],
    ['/traits/name', '/traits/name/first', true],
    ['/traits/name/first', '/traits/name', true],
    ['/traits/name', '/traits/names', false],
    ['/traits/a', '/traits/b', false],
  ] as const) {
    it(`finds that ${a} and ${b} ${expected ? 'touch' : 'do not touch'}`, () => {
      const change = (path: string) => ({ path, before: 1, after: 2 });
      assert.equal(touches(change(a), change(b)), expected);
    });
  }
});

describe('JSON values and pointers', () => {
  it('round-trip keys with slashes and tildes', () => {
    const pointer = pointerTo(pointerTo('/traits', 'a/b'), '~1');
    assert.equal(pointer, '/traits/a~1b/~01');
    assert.deepEqual(keysOf(pointer), ['traits', 'a/b', '~1']);
  });

  it('keep the order of members when one is set', () => {
    assert.deepEqual(Object.keys(withMember({ a: 1, b: 2, c: 3 }, ['b'], 9) as object), ['a', 'b', 'c']);
    assert.deepEqual(withMember({ a: 1, b: 2 }, ['a'], undefined), { b: 2 });
  });

  it('differ by type, by null and by absence', () => {
    for (const [a, b] of [
      [1, '1'],
      [null, undefined],
      [[], {}],
      [{ a: undefined }, { b: undefined }],
      [[1, 2], [1]],
      [false, 0],
    ] as const)
      assert.equal(sameJson(a, b), false);
  });
});
