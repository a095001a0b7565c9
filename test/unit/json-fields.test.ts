import assert from 'node:assert/strict';
import { ApiError } from '../../server/http/api-error.ts';
import { bodyFields, booleanField, labelField, textField } from '../../server/http/json-fields.ts';

describe('the fields of a JSON body', () => {
  /** The message of the 400 that it throws. */
  function refusal(read: () => unknown): string {
    try {
      read();
    } catch (error) {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 'bad_request');
      return error.message;
    }
    return assert.fail('nothing was refused');
  }

  it('must be members of an object, without unknown ones', () => {
    const body = { a: 1 };
    assert.equal(bodyFields(body, ['a', 'b']), body);
    for (const other of [undefined, null, [], 'text', 1, true])
      assert.equal(
        refusal(() => bodyFields(other, ['a'])),
        'The request body must be a JSON object.',
      );
    assert.equal(
      refusal(() => bodyFields({ a: 1, c: 2 }, ['a'])),
      '"c" is not a known field.',
    );
  });

  it('are quoted in well-formed text of bounded length', () => {
    const named = (name: string): string => refusal(() => bodyFields({ [name]: 1 }, []));
    assert.equal(named('x'.repeat(100_000)), `"${'x'.repeat(64)}" is not a known field.`);
    // Half of the pair is cut away.
    assert.equal(named(`${'x'.repeat(63)}🔑`).isWellFormed(), true);
  });

  it('that are labels have their length in characters, and nothing unseen in them', () => {
    const read = (value: unknown): string => labelField('key', value, 3);
    for (const label of ['a', 'abc', '🔑🔑🔑', 'a b']) assert.equal(read(label), label);
    for (const label of ['', 'abcd', '🔑🔑🔑🔑'])
      assert.equal(
        refusal(() => read(label)),
        'key must have 1 to 3 characters.',
      );
    for (const label of ['a\nb', '\u0000', 'a\u009f'])
      assert.equal(
        refusal(() => read(label)),
        'key must not contain control characters.',
      );
    for (const label of [' a', 'a ', '\u00a0a', ' '])
      assert.equal(
        refusal(() => read(label)),
        'key must not begin or end with a space.',
      );
  });

  it('that are texts are well-formed and bounded in bytes', () => {
    assert.equal(textField('value', ''), '');
    assert.equal(textField('value', 'é€', 5), 'é€');
    assert.equal(
      refusal(() => textField('value', 'é€', 4)),
      'value must have at most 4 bytes.',
    );
    assert.equal(
      refusal(() => textField('value', undefined)),
      'value is required.',
    );
    for (const other of [null, 1, {}, ['a']])
      assert.equal(
        refusal(() => textField('value', other)),
        'value must be a string.',
      );
    assert.equal(
      refusal(() => textField('value', 'a\ud800')),
      'value must be well-formed Unicode.',
    );
  });

  it('that are true or false are nothing else', () => {
    assert.deepEqual([booleanField('encrypted', true), booleanField('encrypted', false)], [true, false]);
    for (const other of [undefined, null, 0, 'true'])
      assert.equal(
        refusal(() => booleanField('encrypted', other)),
        'encrypted must be true or false.',
      );
  });
});
