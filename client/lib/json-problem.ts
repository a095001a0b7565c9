import { visibleText } from './visible-text.ts';

const BLANKS = /[ \t\n\r]*/y;
const TEXT_START = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*/uy;
const TEXT = new RegExp(`${TEXT_START.source}"`, 'uy');
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

/**
 * What is wrong in a JSON text (RFC 8259), and where; undefined if nothing is. Browsers describe it differently, and
 * accept repeated members.
 */
export function jsonProblem(json: string): string | undefined {
  let at = 0;
  const match = (token: RegExp | string): string => {
    if (typeof token === 'string') return json.startsWith(token, at) ? token : '';
    token.lastIndex = at;
    return token.exec(json)?.[0] ?? '';
  };
  const take = (token: RegExp | string): string => {
    const found = match(token);
    at += found.length;
    at += match(BLANKS).length;
    return found;
  };
  const fail = (words: string): never => {
    const lines = json.slice(0, at).split(/\r\n|\r|\n/);
    throw new SyntaxError(`Line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}: ${words}.`);
  };
  const expected = (what: string): never => {
    const text = match(TEXT) === '' ? match(TEXT_START) : '';
    at += text.length;
    const inText = json[at] === '\\' ? 'an escape such as \\\\ or \\n' : 'a double quote after the text';
    const sign = /^[^\n\r]/u.exec(json.slice(at, at + 2))?.[0];
    return fail(
      `expected ${(text && inText) || what}, found ${sign ? `“${visibleText(sign)}”` : 'the end of the line'}`,
    );
  };
  const list = (end: string, item: () => void): void => {
    if (take(end)) return;
    do item();
    while (take(','));
    if (!take(end)) expected(`“,” or “${end}”`);
  };
  const member = (names: Set<string>): void => {
    const name: string = JSON.parse(match(TEXT) || expected('a name in double quotes'));
    if (names.has(name)) fail(`the member “${name}” is repeated`);
    names.add(name);
    take(TEXT);
    if (!take(':')) expected('“:”');
    value();
  };
  const value = (): void => {
    const names = new Set<string>();
    if (take('[')) list(']', value);
    else if (take('{')) list('}', () => member(names));
    else if (!take(TEXT) && !take(NUMBER_OR_WORD)) expected('a value (text needs double quotes)');
  };
  try {
    take(BLANKS);
    value();
    return at < json.length ? expected('nothing more') : undefined;
  } catch (error) {
    return error instanceof SyntaxError ? error.message : 'This is nested too deeply.';
  }
}
