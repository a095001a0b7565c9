import assert from 'node:assert/strict';
import { changedMembers } from '../../server/upstream/proxy/record-write.ts';

const read = (body: unknown, patch = false) =>
  changedMembers(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), patch);
const names = (body: unknown, patch = false): readonly string[] => read(body, patch).changed;
const replace = (path: string, value: unknown = 'x') => ({ op: 'replace', path, value });

describe('the names of the members that a write changes', () => {
  it('of a body are those of its innermost members, lists as a whole', () => {
    assert.deepEqual(
      names({ schema_id: 'customer', traits: { email: 'ada@example.com', name: { first: 'Ada' } }, tags: [{ a: 1 }] }),
      ['/schema_id', '/traits/email', '/traits/name/first', '/tags'],
    );
    assert.deepEqual(names({ traits: {}, nothing: null }), ['/traits', '/nothing']);
  });

  it('of a patch are those that its operations set or remove', () => {
    const operations = [
      replace('/traits/name/first'),
      { op: 'add', path: '/redirect_uris/-', value: 'https://a.example' },
      { op: 'remove', path: '/traits/phone' },
      { op: 'move', from: '/traits/old', path: '/traits/new' },
      { op: 'copy', from: '/traits/read', path: '/traits/copied' },
      { op: 'test', path: '/traits/tested', value: 'x' },
      { op: 'invented', path: '/traits/invented' },
      { op: 'replace', path: 7, value: 'x' },
      null,
      replace('/traits/name/first'),
    ];
    assert.deepEqual(names(operations, true), [
      '/traits/name/first',
      '/redirect_uris/-',
      '/traits/phone',
      '/traits/old',
      '/traits/new',
      '/traits/copied',
    ]);
    assert.deepEqual(names([{ op: 'add', path: '', value: { state: 'inactive', traits: { a: 1 } } }], true), [
      '/state',
      '/traits/a',
    ]);
    assert.deepEqual(names([replace('')], true), []);
  });

  it('never hold what may be a value: a segment that is no plain name is a star', () => {
    const path = { 'ada@example.com': 1, 'a b': 1, ä: 1, '': 1, ['x'.repeat(65)]: 1, 'a/b': 1, 'a~b': 1, '..': 1 };
    assert.deepEqual(names({ traits: path }), ['/traits/*']);
    assert.deepEqual(
      names([replace('/traits/a~1b'), replace('/traits/a~0b/c'), replace('/traits/ada@example.com')], true),
      ['/traits/*', '/traits/*/c'],
    );
    assert.deepEqual(names({ ['x'.repeat(64)]: 1 }), [`/${'x'.repeat(64)}`]);
  });

  it('below metadata, credentials and keys are the first alone, at any depth and in any case', () => {
    const body = {
      metadata: { a: { secret: 1 } },
      metadata_public: { b: { c: 1 } },
      metadata_admin: { d: { e: 1, f: 2 } },
      credentials: { password: { config: { hashed_password: 'x', password: 'y' } } },
      jwks: { keys: [{ k: 'x' }] },
      nested: { Credentials: { oidc: { config: { providers: 1 } } } },
    };
    assert.deepEqual(names(body), [
      '/metadata/a',
      '/metadata_public/b',
      '/metadata_admin/d',
      '/credentials/password',
      '/jwks/keys',
      '/nested/Credentials/oidc',
    ]);
    assert.deepEqual(names([replace('/credentials/password/config/password'), replace('/metadata_admin')], true), [
      '/credentials/password',
      '/metadata_admin',
    ]);
  });

  it('are at most twenty, eight deep, and of bounded length together', () => {
    const wide = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`m${index}`, 1]));
    assert.deepEqual(
      names(wide),
      Array.from({ length: 20 }, (_, index) => `/m${index}`),
    );
    assert.deepEqual(names({ a: { b: { c: { d: { e: { f: { g: { h: { i: { j: 1 } } } } } } } } } }), [
      '/a/b/c/d/e/f/g/h',
    ]);
    const long = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `${index}-`.padEnd(64, 'x'),
        Array.from({ length: 7 }, () => 'y'.repeat(64)).reduceRight<unknown>((value, name) => ({ [name]: value }), 1),
      ]),
    );
    const told = names(long);
    assert.ok(told.length > 1 && told.join('').length <= 2048, String(told.length));
  });
});

describe('the state that a write sets', () => {
  it('is the one value that is told', () => {
    assert.equal(read({ state: 'inactive' }).state, 'inactive');
    assert.equal(read([replace('/state', 'active')], true).state, 'active');
    assert.equal(read([{ op: 'add', path: '', value: { state: 'inactive' } }], true).state, 'inactive');
    assert.equal(read([replace('/state', 'active'), replace('/state', 'inactive')], true).state, 'inactive');
    assert.equal(read('{"state":"active","state":"inactive"}').state, 'inactive');
  });

  it('is not told of other values, members and places', () => {
    for (const state of ['ACTIVE', 'hunter2', '', null, 1, ['active'], { active: 1 }])
      assert.equal(read({ state }).state, undefined, JSON.stringify(state));
    assert.equal(read({ traits: { state: 'active' } }).state, undefined);
    assert.equal(read([replace('/traits/state', 'active')], true).state, undefined);
    assert.equal(read([{ op: 'test', path: '/state', value: 'active' }], true).state, undefined);
    assert.equal(read([replace('/state', 'active'), { op: 'remove', path: '/state' }], true).state, undefined);
    assert.equal(
      read([replace('/state', 'active'), { op: 'copy', from: '/traits/a', path: '/state' }], true).state,
      undefined,
    );
    assert.equal(read([{ op: 'move', from: '/state', path: '/traits/a', value: 'active' }], true).state, undefined);
  });

  it('is not told where the server may read another member as it', () => {
    for (const other of ['State', 'STATE', '\u017ftate']) {
      assert.equal(read({ state: 'inactive', [other]: 'active' }).state, undefined, other);
      assert.equal(read({ [other]: 'active' }).state, undefined, other);
      assert.equal(read([replace('/state', 'inactive'), replace(`/${other}`, 'active')], true).state, undefined, other);
    }
  });
});
