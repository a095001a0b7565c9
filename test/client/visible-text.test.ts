import assert from 'node:assert/strict';
import { visibleJson, visibleLines, visibleText } from '../../client/lib/visible-text.ts';

const HIDDEN = 'a\u202eb\u200bc\u0000d\u{e0041}e';

describe('untrusted text', () => {
  it('is displayed with invisible characters as code points', () => {
    assert.equal(visibleText(HIDDEN), 'a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩d⟨U+E0041⟩e');
    assert.equal(visibleText('line\n'), 'line⟨U+000A⟩');
  });

  it('keeps its line breaks and tabs where several lines are allowed', () =>
    assert.equal(visibleLines('a\r\nb\rc\n\td\u202e'), 'a\nb\nc\n\td⟨U+202E⟩'));

  it('in JSON has its invisible characters escaped without a change to the value', () => {
    const value = { [HIDDEN]: [HIDDEN, 'é 👩‍👩‍👧'], n: 1 };
    const text = visibleJson(value);
    assert.deepEqual(JSON.parse(text), value);
    assert.doesNotMatch(text, /[\u202e\u200b\u{e0041}]/u);
    assert.match(text, /👩‍👩‍👧/);
    assert.equal(text.split('\n').length, 7);
  });
});
