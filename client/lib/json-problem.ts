import { visibleText } from './visible-text.ts';

const BLANKS = /[ \t\n\r]*/y;
/** The group is a text's second quote. */
const TOKEN =
  /[{}[\],:]|"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*("?)|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null)(?![\w.])/uy;

/**
 * What is wrong in a JSON text (RFC 8259), and where; undefined if nothing is. Browsers describe it differently, and
 * accept repeated members.
 */
export function jsonProblem(json: string): string | undefined {
  let at = 0;
  let token = '';
  let depth = 0;
  const fail = (what: string): never => {
    const lines = json.slice(0, at).split(/\r\n|\r|\n/);
    throw new SyntaxError(`Line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}: ${what}.`);
  };
  const expected = (what: string): never => {
    const sign = /^[^\n\r]/u.exec(json.slice(at, at + 2))?.[0];
    return fail(`expected ${what}, found ${sign ? `“${visibleText(sign)}”` : 'the end of the line'}`);
  };
  const next = (): void => {
    BLANKS.lastIndex = at + token.length;
    BLANKS.test(json);
    TOKEN.lastIndex = at = BLANKS.lastIndex;
    const [found = '', quote] = TOKEN.exec(json) ?? [];
    token = found;
    if (quote !== '') return;
    at += token.length;
    expected(json[at] === '\\' ? 'an escape such as \\\\ or \\n' : 'a double quote after the text');
  };
  const take = (sign: string): boolean => {
    const isNext = token === sign;
    if (isNext) next();
    return isNext;
  };
  const list = (end: string, item: () => void): void => {
    if (take(end)) return;
    do item();
    while (take(','));
    if (!take(end)) expected(`“,” or “${end}”`);
  };
  const value = (): void => {
    const names = new Set<string>();
    const member = (): void => {
      const name: string = token.startsWith('"') ? JSON.parse(token) : expected('a name in double quotes');
      if (names.has(name)) fail(`the member “${name}” is repeated`);
      names.add(name);
      next();
      if (!take(':')) expected('“:”');
      value();
    };
    depth += 1;
    if (depth > 100) throw new RangeError();
    if (take('[')) list(']', value);
    else if (take('{')) list('}', member);
    else if (/^["\w-]/.test(token)) next();
    else expected('a value (text needs double quotes)');
    depth -= 1;
  };
  try {
    next();
    value();
    return at < json.length ? expected('nothing more') : undefined;
  } catch (error) {
    return error instanceof SyntaxError ? error.message : 'This is nested too deeply.';
  }
}
