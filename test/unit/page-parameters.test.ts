import assert from 'node:assert/strict';
import { ApiError } from '../../server/http/api-error.ts';
import { pageSizeParameter, pageTokenParameter } from '../../server/http/page-parameters.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, PAGE_TOKEN_MAX_CHARACTERS } from '../../shared/identities.ts';

describe('what a request says of a page', () => {
  const refusedAs = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

  it('is its size in digits, from one to the most there is', () => {
    assert.equal(pageSizeParameter(undefined), PAGE_SIZE_DEFAULT);
    for (const size of [1, 7, PAGE_SIZE_MAX]) assert.equal(pageSizeParameter(String(size)), size);
    const wrong = [
      '',
      '0',
      String(PAGE_SIZE_MAX + 1),
      '-1',
      '+1',
      '1.5',
      '1e1',
      ' 1',
      '1 ',
      '0001',
      'x',
      ['1'],
      { a: '1' },
      1,
    ];
    for (const size of wrong)
      assert.throws(() => pageSizeParameter(size), refusedAs('invalid_page_size'), String(size));
  });

  it('is a token of bounded length without control characters, or none', () => {
    for (const none of [undefined, '']) assert.equal(pageTokenParameter(none), undefined);
    for (const token of ['x', '🔑'.repeat(PAGE_TOKEN_MAX_CHARACTERS)]) assert.equal(pageTokenParameter(token), token);
    const wrong = ['x'.repeat(PAGE_TOKEN_MAX_CHARACTERS + 1), 'a\nb', 'a\u007f', 'a\u0085', ['a', 'b'], { a: 'b' }];
    for (const token of wrong) assert.throws(() => pageTokenParameter(token), refusedAs('invalid_page_token'));
  });
});
