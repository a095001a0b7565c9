import { attempt, isObject, type JsonObject } from '../../../shared/json.ts';
import { numberText, parseExactJson } from '../../lib/json.ts';
import { jsonProblem } from '../../lib/json-problem.ts';
import { type StateMeanings, stateIn } from './account-state.ts';
import type { ColumnMapping, NamesIn } from './columns.ts';
import { HASH_COLUMN, PASSWORD_COLUMNS } from './file-password.ts';
import { type CellKind, type SchemaColumns, TEXT_MEMBERS } from './portable-identity.ts';
import type { SourceRecord } from './transfer-file.ts';

/** The operator's choices for a file. */
export interface FileOptions {
  names?: NamesIn | undefined;
  /** The targets of the columns, if their names are unknown. */
  mapping?: ColumnMapping | undefined;
  states?: StateMeanings | undefined;
}

export interface RowReading {
  header: readonly string[];
  columns: ColumnMapping;
  schemaColumns: SchemaColumns;
  states?: StateMeanings | undefined;
  /** Parses a cell; undefined means no value. */
  readCell: (cell: unknown, kind: CellKind) => unknown;
}

/** Reads one row of a table. Cells of NDJSON are JSON values; an empty cell is an empty string. */
export function recordOf(line: number, cells: readonly unknown[], reading: RowReading): SourceRecord {
  const { header, columns, schemaColumns, states, readCell } = reading;
  const schemaId = cellText(single(cells[columns.indexOf('schema_id')])) || undefined;
  const config: JsonObject = {};
  const members: JsonObject = {};
  const traits: [steps: readonly string[], value: unknown][] = [];
  const stateCells: [name: string, text: string][] = [];
  for (const [index, column] of columns.entries()) {
    if (column === undefined) continue;
    const steps = schemaColumns.stepsOf(column);
    const kind = steps !== undefined ? schemaColumns.kindOf(schemaId, column) : isText(column) ? 'text' : undefined;
    const cell =
      kind === undefined
        ? cells[index]
        : single(kind === 'text' && !(column in PASSWORD_COLUMNS) ? listIn(cells[index]) : cells[index]);
    if (kind !== undefined && typeof cell === 'object' && numberText(cell) === undefined)
      return { line, problem: `${PASSWORD_COLUMNS[column] ?? column}: must be one value, not a list or an object` };
    if (column in PASSWORD_COLUMNS) {
      const text = cellText(cell);
      // A password is used verbatim, even if it looks like JSON. A hash never starts or ends with a space.
      if (text.trim() !== '') config[column.split('.').at(-1) ?? ''] = column === HASH_COLUMN ? text.trim() : text;
      continue;
    }
    const value = readCell(cell ?? '', kind);
    const problem = typeof cell === 'string' && typeof value === 'object' ? rowProblem(cell) : undefined;
    if (problem !== undefined) return { line, problem: `${column}: ${problem}` };
    if (column === 'state') stateCells.push([header[index] ?? '', cellText(value ?? '')]);
    else if (value === undefined) continue;
    else if (steps === undefined) members[column] = value;
    else traits.push([steps, value]);
  }
  const state = stateIn(stateCells, states);
  if (state !== undefined) members.state = state;
  // The check reports traits and credentials that are not an object.
  const { traits: whole = {}, credentials = {} } = members;
  members.traits = isObject(whole)
    ? traits.reduce((all, [steps, value]) => withTrait(all, steps, value), whole)
    : whole;
  if (Object.keys(config).length > 0 && isObject(credentials)) {
    if ('password' in credentials)
      return { line, problem: 'Both the column “credentials” and the password column contain a password.' };
    members.credentials = { ...credentials, password: { config } };
  }
  return { line, members };
}

const isText = (column: string): boolean => TEXT_MEMBERS.includes(column) || column in PASSWORD_COLUMNS;

/** What is wrong in the JSON of a row, without its position, so that equal problems are counted together. */
export const rowProblem = (json: string): string | undefined => jsonProblem(json)?.replace(/^Line .*?: t/, 'T');

/** A cell of a CSV file may contain a list of texts as JSON. */
const listIn = (cell: unknown): unknown =>
  typeof cell === 'string' && /^\[\s*["\]]/.test(cell) ? (attempt(() => parseExactJson(cell)) ?? cell) : cell;

/** Other systems have lists where a person has one value. */
export const single = (cell: unknown): unknown => (Array.isArray(cell) && cell.length < 2 ? cell[0] : cell) ?? '';

export const cellText = (cell: unknown): string => (typeof cell === 'string' ? cell : JSON.stringify(cell));

/** Does not assign to the property, since a member may be called `__proto__`. */
function withTrait(target: JsonObject, [step = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const before = Object.hasOwn(target, step) ? target[step] : undefined;
  const after = rest.length === 0 ? value : withTrait(isObject(before) ? before : {}, rest, value);
  return Object.fromEntries([...Object.entries(target).filter(([name]) => name !== step), [step, after]]);
}
