import { parseExactJson } from './exact-json.ts';

// A cell holds text as it is, and anything else as JSON: 42, true, {"a":1}. Text that could be taken for JSON stands
// in JSON's own quotation marks, the empty text as two of them. An empty cell is no value at all.

/** The cell for a value; undefined is an empty cell. */
export function cellOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return value === '' || isJson(value) ? JSON.stringify(value) : value;
}

/**
 * The value of a cell; undefined for an empty one.
 * @param asText the schema allows nothing but text: 01234 and 12345 are both text then
 */
export function valueIn(cell: string, asText: boolean): unknown {
  if (cell === '') return undefined;
  try {
    const value = parseExactJson(cell);
    return asText && typeof value !== 'string' ? cell : value;
  } catch {
    return cell;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
