/** A body that Go's decoder refuses, with Go's message. */
export class GoJsonError extends Error {}
/**
 * Reads the first JSON value of a text and ignores what follows it, as Go's stream decoder does.
 * @throws GoJsonError `EOF`, `unexpected EOF`, or what is wrong
 */
export function decodeJson(text) {
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
/** Where the first value ends; undefined when the text ends before it. */
function endOfValue(source) {
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
/** What Go's decoder calls the type of a value. */
export function goTypeOf(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
export const isObject = (value) => goTypeOf(value) === 'object';
