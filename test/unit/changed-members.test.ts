import assert from 'node:assert/strict';
import { changedMembers } from '../../server/upstream/proxy/record-write.ts';

const changes = (body: unknown, patch = false) =>
  changedMembers(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), patch);
const names = (body: unknown, patch = false): readonly string[] => changes(body, patch).changed;
const replace = (path: string, value: unknown = 'x') => ({ op: 'replace', path, value });

describe('the recorded names of changed members', () => {
  it('are the JSON Pointers to the innermost members of a body, where a list counts as one member', () => {
    assert.deepEqual(
      names({ schema_id: 'customer', traits: { email: 'ada@example.com', name: { first: 'Ada' } }, tags: [{ a: 1 }] }),
      ['/schema_id', '/traits/email', '/traits/name/first', '/tags'],
    );
    assert.deepEqual(names({ traits: {}, nothing: null }), ['/traits', '/nothing']);
  });

  it('are the JSON Pointers of the members that a JSON Patch sets or removes', () => {
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
    const replacement = { op: 'add', path: '', value: { state: 'inactive', traits: { a: 1 } } };
    assert.deepEqual(names([replacement], true), ['/state', '/traits/a']);
    assert.deepEqual(names([replace('')], true), []);
  });

  it('contain an asterisk in place of each path segment that could be a value', () => {
    const traits = { 'ada@example.com': 1, 'a b': 1, ä: 1, '': 1, ['x'.repeat(65)]: 1, 'a/b': 1, 'a~b': 1, '..': 1 };
    assert.deepEqual(names({ traits }), ['/traits/*']);
    const operations = [replace('/traits/a~1b'), replace('/traits/a~0b/c'), replace('/traits/ada@example.com')];
    assert.deepEqual(names(operations, true), ['/traits/*', '/traits/*/c']);
    assert.deepEqual(names({ ['x'.repeat(64)]: 1 }), [`/${'x'.repeat(64)}`]);
  });

  it('end one segment below metadata, credentials and keys, at any depth and in any letter case', () => {
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

  it('are limited to 20 names, eight segments per name, and 2,048 characters in total', () => {
    const many = (length: number): string[] => Array.from({ length }, (_, index) => `m${index}`);
    const nested = (segments: readonly string[]): unknown =>
      segments.reduceRight<unknown>((value, name) => ({ [name]: value }), 1);
    assert.deepEqual(
      names(Object.fromEntries(many(40).map((name) => [name, 1]))),
      many(20).map((name) => `/${name}`),
    );
    assert.deepEqual(names(nested([...'abcdefghij'])), ['/a/b/c/d/e/f/g/h']);
    const long = many(20).map((name) => [name.padEnd(64, 'x'), nested(Array(7).fill('y'.repeat(64)))]);
    const recorded = names(Object.fromEntries(long));
    assert.ok(recorded.length > 1 && recorded.join('').length <= 2048, String(recorded.length));
  });
});

describe('the recorded state of an identity', () => {
  it('is the state that a body or patch sets last', () => {
    assert.equal(changes({ state: 'inactive' }).state, 'inactive');
    assert.equal(changes([replace('/state', 'active')], true).state, 'active');
    assert.equal(changes([{ op: 'add', path: '', value: { state: 'inactive' } }], true).state, 'inactive');
    assert.equal(changes([replace('/state', 'active'), replace('/state', 'inactive')], true).state, 'inactive');
    assert.equal(changes('{"state":"active","state":"inactive"}').state, 'inactive');
  });

  it('is absent for unknown values, for nested members, and for operations that set no known state', () => {
    for (const state of ['ACTIVE', 'hunter2', '', null, 1, ['active'], { active: 1 }])
      assert.equal(changes({ state }).state, undefined, JSON.stringify(state));
    assert.equal(changes({ traits: { state: 'active' } }).state, undefined);
    for (const operations of [
      [replace('/traits/state', 'active')],
      [{ op: 'test', path: '/state', value: 'active' }],
      [replace('/state', 'active'), { op: 'remove', path: '/state' }],
      [replace('/state', 'active'), { op: 'copy', from: '/traits/a', path: '/state' }],
      [{ op: 'move', from: '/state', path: '/traits/a', value: 'active' }],
    ])
      assert.equal(changes(operations, true).state, undefined, JSON.stringify(operations));
  });

  it('is absent if there is another member that Kratos may read as the state', () => {
    for (const other of ['State', 'STATE', '\u017ftate']) {
      assert.equal(changes({ state: 'inactive', [other]: 'active' }).state, undefined, other);
      assert.equal(changes({ [other]: 'active' }).state, undefined, other);
      const operations = [replace('/state', 'inactive'), replace(`/${other}`, 'active')];
      assert.equal(changes(operations, true).state, undefined, other);
    }
  });
});
