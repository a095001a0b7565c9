import { parseExactJson } from './exact-json.ts';

// A cell holds text as it is, and anything else as JSON: 42, true, {"a":1}. Text that could be taken for JSON stands
// in JSON's own quotation marks, the empty text as two of them. An empty cell is no value at all.

/** The cell for a value; undefined is an empty cell. */
export function cellOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return value === '' || isJson(value) ? JSON.stringify(value) : value;
}

/** As spreadsheets write them, case aside. */
const YES_OR_NO = new Map(Object.entries({ true: true, yes: true, '1': true, false: false, no: false, '0': false }));

/** What the schema allows for a cell and nothing else; undefined where it allows several kinds, or another. */
export type CellKind = 'text' | 'boolean' | undefined;

/**
 * The value of a cell; undefined for an empty one.
 * @param kind as text 01234 and 12345 are both text; as boolean TRUE, no and 1 are taken for one
 */
export function valueIn(cell: string, kind: CellKind): unknown {
  if (cell === '') return undefined;
  if (kind === 'boolean') {
    const said = YES_OR_NO.get(cell.trim().toLowerCase());
    if (said !== undefined) return said;
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
