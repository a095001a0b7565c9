const UNITS: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `1h30m`, `-1h` or `0`; undefined if it is invalid. */
export function parseDuration(text: string): number | undefined {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/.exec(text) ?? [];
  if (rest === '0') return 0;
  if (!/^(?:[0-9]+(?:\.[0-9]*)?(?:ns|us|µs|ms|s|m|h))+$/.test(rest)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of rest.matchAll(/([0-9.]+)([a-zµ]+)/g))
    total += Number(amount) * (UNITS[unit] ?? 0);
  return sign === '-' ? -total : total;
}

/** Go's notation: `1h30m0s`, `30m0s`, `1m30s`, `0s`. */
export function formatDuration(milliseconds: number): string {
  const sign = milliseconds < 0 ? '-' : '';
  const seconds = Math.abs(milliseconds) / 1000;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const parts = [hours > 0 ? `${hours}h` : '', hours > 0 || minutes > 0 ? `${minutes}m` : '', `${seconds % 60}s`];
  return sign + parts.join('');
}

/** Parses an integer like `strconv.Atoi`, or returns its error message. */
export function parseInteger(text: string): { value: number } | { problem: string } {
  const problem = (what: string) => ({ problem: `strconv.Atoi: parsing ${JSON.stringify(text)}: ${what}` });
  if (!/^[+-]?[0-9]+$/.test(text)) return problem('invalid syntax');
  const value = Number(text);
  return Number.isSafeInteger(value) ? { value } : problem('value out of range');
}

/** A body that Go's decoder rejects, with Go's message. */
export class GoJsonError extends Error {}

/**
 * Parses the first JSON value and ignores what follows, like Go's stream decoder.
 * @throws GoJsonError `EOF`, `unexpected EOF`, or the problem
 */
export function decodeJson(text: string): unknown {
  const source = text.trimStart();
  if (source === '') throw new GoJsonError('EOF');
  try {
    return JSON.parse(source);
  } catch {
    const end = endOfValue(source);
    if (end === undefined) throw new GoJsonError('unexpected EOF');
    try {
      return JSON.parse(source.slice(0, end));
    } catch {
      throw new GoJsonError(`invalid character '${source.charAt(0)}' looking for beginning of value`);
    }
  }
}

/** The index where the first value ends; undefined if the text ends before it. */
function endOfValue(source: string): number | undefined {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (depth === 0 && /\s/.test(character ?? '')) return index;
    if (!inString && depth === 0 && /["}\]]/.test(character ?? '')) return index + 1;
  }
  return undefined;
}

/** The name of a value's type in messages of Go's decoder. */
export function goTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

export const isObject = (value: unknown): value is Record<string, unknown> => goTypeOf(value) === 'object';

/** Parses a query as Go does: pairs that cannot be decoded or contain a semicolon are dropped. */
export function parseQuery(search: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const pair of search.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const mark = pair.indexOf('=');
    try {
      const [name, value] = mark < 0 ? [pair, ''] : [pair.slice(0, mark), pair.slice(mark + 1)];
      query.append(unescaped(name), unescaped(value));
    } catch {
      // malformed escape
    }
  }
  return query;
}

/** Encodes a query as Go does: sorted by name, spaces as `+`, everything but letters, digits and `-_.~` escaped. */
export function encodeQuery(query: URLSearchParams): string {
  const names = [...new Set(query.keys())].sort();
  return names
    .flatMap((name) => query.getAll(name).map((value) => `${queryEscape(name)}=${queryEscape(value)}`))
    .join('&');
}

const unescaped = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

export const queryEscape = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');

export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** The services' message for an invalid UUID. */
export const uuidProblem = (text: string): string =>
  text.length === 36
    ? `uuid: incorrect UUID format in string "${text}"`
    : `uuid: incorrect UUID length ${Buffer.byteLength(text)} in string "${text}"`;
