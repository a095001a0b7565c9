import { visibleText } from './visible-text.ts';

interface JsonWithSource {
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
  parse: (text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown) => unknown;
}

const { rawJSON, isRawJSON, parse } = JSON as unknown as JsonWithSource;

/**
 * Parses JSON so that `JSON.stringify` reproduces the same numbers. JavaScript numbers have about 16 digits; ids from
 * other systems in traits and metadata are often longer and would change. Older browsers fall back to plain parsing.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  if (rawJSON === undefined || !/[\d.]{16}|\de[+-]?\d{3}/i.test(text)) return JSON.parse(text);
  return parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && !isExact(value, context.source)
      ? rawJSON(context.source)
      : value,
  );
}

const isExact = (value: number, source: string): boolean =>
  Number.isFinite(value) && (source.length < 16 || String(value) === source);

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
    if (take('[')) list(']', value);
    else if (take('{')) list('}', member);
    else if (/^["\w-]/.test(token)) next();
    else expected('a value (text needs double quotes)');
  };
  try {
    next();
    value();
    return at < json.length ? expected('nothing more') : undefined;
  } catch (error) {
    return error instanceof SyntaxError ? error.message : 'This is nested too deeply.';
  }
}

/** The source text of a number from `parseExactJson`; undefined for other values. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return isRawJSON?.(value) ? JSON.stringify(value) : undefined;
}

/** Parses a typed number, also `.5` or `1.`; otherwise undefined. `007` is a code, not a number. */
export function numberIn(typed: string): unknown {
  if (!/^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(typed)) return undefined;
  return parseExactJson(
    typed
      .replace(/^\+/, '')
      .replace(/^(-?)\./, '$10.')
      .replace(/\.(?!\d)/, ''),
  );
}

/** The exact JSON of a response; undefined if the body is not JSON. */
export const exactBody = (response: Response): Promise<unknown> =>
  response
    .text()
    .then(parseExactJson)
    .catch(() => undefined);

/** The pointer of a member within its parent (RFC 6901). */
export const pointerTo = (parent: string, key: string | number): string =>
  `${parent}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
