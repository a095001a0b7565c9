import { parseExactJson } from '../../../lib/exact-json.ts';

// A cell holds a string as it is and anything else as JSON: 42, true, {"a":1}. A string that looks like JSON, or is
// empty, is written as a JSON string. An empty cell means no value.

/** The cell for a value; undefined becomes an empty cell. */
export function cellOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return value === '' || isJson(value) ? JSON.stringify(value) : value;
}

/** As spreadsheets write them, ignoring case. */
const YES_OR_NO = new Map(Object.entries({ true: true, yes: true, '1': true, false: false, no: false, '0': false }));

/** The only type that the schema allows for a cell; undefined when it allows several, or another one. */
export type CellKind = 'text' | 'boolean' | undefined;

/**
 * The value of a cell; undefined for an empty one.
 * @param kind as text, 01234 and 12345 are both strings; as boolean, TRUE, no and 1 are accepted
 */
export function valueIn(cell: string, kind: CellKind): unknown {
  if (cell === '') return undefined;
  if (kind === 'boolean') {
    const answer = YES_OR_NO.get(cell.trim().toLowerCase());
    if (answer !== undefined) return answer;
  }
  try {
    const value = parseExactJson(cell);
    return kind === 'text' && typeof value !== 'string' ? cell : value;
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
