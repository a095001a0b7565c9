import assert from 'node:assert/strict';
import { DEPLOYMENT_SETTINGS } from '../../server/sandbox/deployment-settings.ts';
import { formatDuration, parseDuration } from '../../server/sandbox/go/duration.ts';
import { decodeJson } from '../../server/sandbox/go/json.ts';
import { applyPatch, parsePatch } from '../../server/sandbox/go/json-patch.ts';
import { encodeQuery, parseQuery } from '../../server/sandbox/go/query.ts';
import { traitsProblem } from '../../server/sandbox/identity-service/identities/identity-validation.ts';

describe("the sandbox's JSON Patch", () => {
  const patched = (document: Record<string, unknown>, ...patch: object[]) =>
    applyPatch(document, parsePatch(JSON.stringify(patch)));

  it('refuses to test, move and copy, and an addition without a value', () => {
    for (const op of ['test', 'move', 'copy'])
      assert.throws(() => patched({ a: 1 }, { op, from: '/a', path: '/b', value: 1 }), {
        message: `unsupported operation: ${op}`,
      });
    assert.throws(() => patched({}, { op: 'add', path: '/a' }), {
      message:
        'invalid operation {"op":"add","path":"/a"}: failed to decode \'value\': operation, missing value field: missing value',
    });
    assert.deepEqual(patched({}, { op: 'add', path: '/a', value: null }), { a: null });
  });

  it('makes missing parents, lists where an index follows', () => {
    assert.deepEqual(patched({}, { op: 'add', path: '/a/b', value: 1 }), { a: { b: 1 } });
    assert.deepEqual(patched({}, { op: 'add', path: '/a/0', value: 1 }), { a: [1] });
    assert.deepEqual(patched({}, { op: 'add', path: '/a/-', value: 1 }), { a: [1] });
    assert.deepEqual(patched({}, { op: 'add', path: '/a/2/b', value: 1 }), { a: [null, null, { b: 1 }] });
  });

  it('counts a negative index from the end, of an addition from that of the new list', () => {
    assert.deepEqual(patched({ a: [1, 2] }, { op: 'add', path: '/a/-1', value: 3 }), { a: [1, 2, 3] });
    assert.deepEqual(patched({ a: [1, 2] }, { op: 'replace', path: '/a/-1', value: 3 }), { a: [1, 3] });
    assert.deepEqual(patched({ a: [1, 2] }, { op: 'remove', path: '/a/-1' }), { a: [1] });
    assert.throws(() => patched({ a: [1] }, { op: 'add', path: '/a/-3', value: 2 }), /invalid index referenced/);
  });

  it('inserts into lists, appends to them, replaces and removes their items', () => {
    assert.deepEqual(patched({ a: [1, 3] }, { op: 'add', path: '/a/1', value: 2 }), { a: [1, 2, 3] });
    assert.deepEqual(patched({ a: [1] }, { op: 'add', path: '/a/-', value: 2 }), { a: [1, 2] });
    assert.deepEqual(patched({ a: [1, 2] }, { op: 'replace', path: '/a/0', value: 3 }), { a: [3, 2] });
    assert.deepEqual(patched({ a: [1, 2] }, { op: 'remove', path: '/a/0' }), { a: [2] });
    assert.throws(() => patched({ a: [1] }, { op: 'add', path: '/a/5', value: 2 }), /invalid index referenced/);
  });

  it('reads escaped names', () => {
    assert.deepEqual(
      patched({ 'a/b': 1, 'c~d': 2 }, { op: 'remove', path: '/a~1b' }, { op: 'remove', path: '/c~0d' }),
      {},
    );
  });

  it('leaves the document alone that it is given', () => {
    const document = { a: { b: 1 } };
    patched(document, { op: 'replace', path: '/a/b', value: 2 });
    assert.deepEqual(document, { a: { b: 1 } });
  });

  it('does not reach prototypes', () => {
    const whole = patched({}, { op: 'add', path: '/__proto__/polluted', value: true });
    assert.equal(JSON.stringify(whole), '{"__proto__":{"polluted":true}}');
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });
});

describe("the sandbox's refusal of traits", () => {
  const problem = (schemaId: string, traits: Record<string, unknown>) => {
    const schema = [...DEPLOYMENT_SETTINGS.customer.schemas, ...DEPLOYMENT_SETTINGS.workforce.schemas].find(
      ({ id }) => id === schemaId,
    );
    assert.ok(schema);
    return traitsProblem(schema.schema, traits);
  };
  const at = (field: string, keyword: string) =>
    `I[#/traits/${field}] S[#/properties/traits/properties/${field}/${keyword}]`;

  it('names the field and the rule', () => {
    const email = 'a@example.com';
    assert.equal(problem('customer', { email }), undefined);
    assert.equal(
      problem('customer', { email, phone: '123' }),
      `${at('phone', 'pattern')} does not match pattern "^\\\\+[0-9]{6,15}$"`,
    );
    assert.equal(
      problem('customer', { email, locale: 'x' }),
      `${at('locale', 'minLength')} length must be >= 2, but got 1`,
    );
    assert.equal(
      problem('customer', { email, newsletter: 'yes' }),
      `${at('newsletter', 'type')} expected boolean, but got string`,
    );
    assert.equal(
      problem('partner', { email, company: 'C', seats: 0 }),
      `${at('seats', 'minimum')} must be >= 1 but found 0`,
    );
    assert.equal(
      problem('partner', { email, company: 'C', seats: 1.5 }),
      `${at('seats', 'type')} expected integer, but got number`,
    );
    assert.equal(
      problem('contractor', { email, agency: 'A', contract_ends: 'soon' }),
      `${at('contract_ends', 'format')} "soon" is not valid "date"`,
    );
  });

  it('reaches into nested members', () => {
    assert.equal(
      problem('customer', { email: 'a@example.com', name: { first: 5 } }),
      'I[#/traits/name/first] S[#/properties/traits/properties/name/properties/first/type] expected string, but got number',
    );
  });
});

describe("the sandbox's readings of Go's values", () => {
  it('reads and writes durations', () => {
    for (const [text, milliseconds, written] of [
      ['1h30m', 5_400_000, '1h30m0s'],
      ['90s', 90_000, '1m30s'],
      ['1.5s', 1500, '1.5s'],
      ['-1h', -3_600_000, '-1h0m0s'],
      ['0', 0, '0s'],
    ] as const) {
      assert.equal(parseDuration(text), milliseconds);
      assert.equal(formatDuration(milliseconds), written);
    }
    for (const text of ['', 'soon', '1', '1d', 'h', '1h-1m']) assert.equal(parseDuration(text), undefined);
  });

  it('reads the first value of a text', () => {
    assert.deepEqual(decodeJson(' {"a":"}"} {"b":2}'), { a: '}' });
    assert.equal(decodeJson('5 tail'), 5);
    assert.throws(() => decodeJson('  '), { message: 'EOF' });
    assert.throws(() => decodeJson('{"a":"'), { message: 'unexpected EOF' });
  });

  it('drops what a query cannot mean, and sorts and escapes the rest', () => {
    assert.equal(encodeQuery(parseQuery('z=a+b&%&a=%40%2B&x;y=1&a=1')), 'a=%40%2B&a=1&z=a+b');
  });
});
