import assert from 'node:assert/strict';
import { searchWords } from '../../client/audit-view/search-words.ts';

describe('what was searched for', () => {
  for (const [filter, words] of [
    ['ada@example.org', 'ada@example.org'],
    ['prefix:ada*', 'prefix:ada*'],
    ['a=b@example.org', 'a=b@example.org'],
    ['q=x', '“x”'],
    [
      'q=ad%C3%A9&state=inactive&created_from=2026-08-25T10%3A50%3A17.435Z',
      '“adé”, state inactive, created from 2026-08-25 10:50 UTC',
    ],
    ['no_session=true', 'no session'],
    ['sessions:q=ada&device=firefox', '“ada”, device firefox, by their sessions'],
    ['\u0000=&%', '\u0000=&%'],
  ] as const)
    it(`is ${JSON.stringify(words)} for ${JSON.stringify(filter)}`, () => assert.equal(searchWords(filter), words));
});
