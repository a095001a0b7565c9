/** What an expression with a square in it stumbles over, once it is repeated. */
const PIECES = [
  ...[
    'a',
    'A1',
    '0',
    'é',
    ' ',
    '\n',
    '\r\n',
    '\u2028',
    '\ud800',
    '.',
    '-',
    '_',
    '@',
    '@.',
    ':',
    '::',
    ';',
    ',',
    '=',
    '*',
    '&',
    '#',
    '?',
  ],
  ...['%', '%2', '%41', '%2%65', '/', '/../', '\\', '"', '"\\', "'", '`', '(', '[', '[]', '{', '}', '<', '>', '</'],
  ...[
    'a-',
    'a.',
    'a_',
    'a:',
    'a@',
    'a=',
    'a b',
    '1.',
    '1:',
    'a; ',
    '=next<',
    ',<',
    '<>;',
    '<a>; ',
    'a://',
    '","',
    '1h',
  ],
  ...['<a ', '<p>', '<a b="', '= ', '="a" ', ' a', '<!--', '<!', '<style>', '&amp;', '<br>', '<p '],
  ...['Bearer ', 'lookup ', 'ory_a', 'I[#', 'I[#] S[#] ', 'Version/', 'Version/1 '],
];
const FRAMES: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['<p ', '\u0000!\n>'],
];

/** Texts of some `length` characters, made to cost as much as can be whoever reads any of them more than once. */
export function* hostileTexts(length: number): Generator<string> {
  for (const piece of PIECES)
    for (const [before, after] of FRAMES) yield before + piece.repeat(length / piece.length) + after;
}
