import assert from 'node:assert/strict';
import { bodyFields } from '../../server/http/bodies.ts';
import { ApiError } from '../../server/http/errors.ts';
import { ifMatch, pageSizeParameter, pageTokenParameter } from '../../server/http/parameters.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, PAGE_TOKEN_MAX_CHARACTERS } from '../../shared/identities.ts';

/** The code and the message of the 400 that it throws. */
function refusal(read: () => unknown): [code: string, message: string] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return [error.code, error.message];
  }
  return assert.fail('nothing was refused');
}

describe('the page of a list', () => {
  it('has a size in digits, from one to the most there is', () => {
    assert.equal(pageSizeParameter(undefined), PAGE_SIZE_DEFAULT);
    for (const size of [1, 7, PAGE_SIZE_MAX]) assert.equal(pageSizeParameter(String(size)), size);
    for (const size of ['', '0', String(PAGE_SIZE_MAX + 1), '-1', '+1', '1.5', '1e1', ' 1', '0001', '٣', ['1'], 1])
      assert.equal(refusal(() => pageSizeParameter(size))[0], 'invalid_page_size', String(size));
  });

  it('has a token of bounded length without control characters, or none', () => {
    for (const none of [undefined, '']) assert.equal(pageTokenParameter(none), undefined);
    for (const token of ['x', '🔑'.repeat(PAGE_TOKEN_MAX_CHARACTERS)]) assert.equal(pageTokenParameter(token), token);
    for (const token of ['x'.repeat(PAGE_TOKEN_MAX_CHARACTERS + 1), 'a\nb', 'a\u0085', ['a', 'b'], { a: 'b' }])
      assert.equal(refusal(() => pageTokenParameter(token))[0], 'invalid_page_token');
  });
});

describe('the fields of a JSON body', () => {
  it('are members of an object, without unknown ones', () => {
    const body = { a: 1 };
    assert.equal(bodyFields(body, ['a', 'b']), body);
    for (const other of [undefined, null, [], 'text', 1])
      assert.deepEqual(
        refusal(() => bodyFields(other, ['a'])),
        ['bad_request', 'The request body must be a JSON object.'],
      );
    const unknown = (name: string): string => refusal(() => bodyFields({ [name]: 1 }, []))[1];
    assert.equal(unknown('x'.repeat(100_000)), `"${'x'.repeat(64)}" is not a known field.`);
    // Half of the pair is cut away.
    assert.equal(unknown(`${'x'.repeat(63)}🔑`).isWellFormed(), true);
  });
});

describe('If-Match', () => {
  const fits = (header: string | undefined): boolean => ifMatch(header)('"1"');

  it('names one of the tags of a resource', () => {
    for (const header of [undefined, '*', ' * ', '"1"', ' "0" , "1"', 'W/"0", "1"'])
      assert.equal(fits(header), true, header);
    for (const header of ['1', '"2"', '"1', 'x"1"', '"1", nonsense', '"1",', '*, "1"', '"a"b", "1"', 'W/"2"'])
      assert.equal(fits(header), false, header);
  });

  it('is refused if it is empty', () => {
    for (const header of ['', ' ']) assert.throws(() => ifMatch(header), { code: 'bad_request' });
  });

  it('may name it as a compressing proxy has changed it, but never the tag of another version', () => {
    for (const header of ['W/"1"', '"1-gzip"', 'W/"1-gzip"', '"1--gzip"', '"1;gzip"', '"0", "1-br"', '"1-zstd"'])
      assert.equal(fits(header), true, header);
    for (const header of [
      '"2-gzip"',
      '"11-gzip"',
      '"-gzip"',
      '"1-gzip-br-x"',
      '"1-GZIP2"',
      '"1"-gzip',
      'w/"1"',
      'WW/"1"',
    ])
      assert.equal(fits(header), false, header);
  });
});
