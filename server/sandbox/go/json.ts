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
