/** What an expression with a square in it stumbles over, once it is repeated. */
const COMMON = [
  ...['a', ' ', '\n', '.', '@', ':', ';', ',', '=', '%', '/', '"', '(', '[', '<'],
  ...['a.', 'a@', 'a=', 'a b', '=next<', ',<', '<a>; ', '<a b="', '&amp;', 'Version/'],
];
const PIECES = [
  ...COMMON,
  ...['A1', '0', 'é', '\r\n', '\u2028', '\ud800', '-', '_', '@.', '::', '*', '&', '#', '?', '%2', '%41', '%2%65'],
  ...['/../', '\\', '"\\', "'", '`', '[]', '{', '}', '>', '</', 'a-', 'a_', 'a:', '1.', '1:', 'a; ', '<>;', 'a://'],
  ...['","', '1h', '<a ', '<p>', '= ', '="a" ', ' a', '<!--', '<!', '<style>', '<br>', '<p ', 'Bearer ', 'lookup '],
  ...['ory_a', 'I[#', 'I[#] S[#] ', 'Version/1 '],
];
const FRAMES: readonly (readonly [before: string, after: string])[] = [
  ['', ''],
  ['<p ', '\u0000!\n>'],
];

/**
 * Texts of some `length` characters, made to cost as much as can be whoever reads any of them more than once.
 * @param which the pieces that most expressions stumble over, or all of them in every frame
 */
export function* hostileTexts(length: number, which: 'common' | 'all'): Generator<string> {
  for (const piece of which === 'all' ? PIECES : COMMON)
    for (const [before, after] of which === 'all' ? FRAMES : FRAMES.slice(0, 1))
      yield before + piece.repeat(length / piece.length) + after;
}
