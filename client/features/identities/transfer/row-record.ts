import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { type StateMeanings, stateIn } from './account-state.ts';
import type { ColumnMapping, NamesIn } from './columns.ts';
import { HASH_COLUMN, PASSWORD_COLUMN } from './file-password.ts';
import { type CellKind, type SchemaColumns, TEXT_MEMBERS } from './portable-identity.ts';
import type { SourceRecord } from './transfer-file.ts';

/** What the operator says about a file. */
export interface FileOptions {
  /** The line of the column names. */
  names?: NamesIn | undefined;
  /** What the columns mean, if their names do not say. */
  mapping?: ColumnMapping | undefined;
  /** What unknown words for the state mean. */
  states?: StateMeanings | undefined;
}

/** One row of a table. The cells of NDJSON are JSON values; an empty cell is an empty text. */
interface Row {
  line: number;
  cells: readonly unknown[];
}

export interface RowReading {
  header: readonly string[];
  columns: ColumnMapping;
  schemaColumns: SchemaColumns;
  states?: StateMeanings | undefined;
  /** The value in a cell; undefined for none. */
  readCell: (cell: unknown, kind: CellKind) => unknown;
}

/** The identity in one row. */
export function recordOf(
  { line, cells }: Row,
  { header, columns, schemaColumns, states, readCell }: RowReading,
): SourceRecord {
  const textAt = (column: string): string => cellText(cells[columns.indexOf(column)]);
  const schemaId = textAt('schema_id') || undefined;
  const members = new Map<string, unknown>();
  const traits: [steps: readonly string[], value: unknown][] = [];
  const stateCells: [name: string, text: string][] = [];
  for (const [index, column] of columns.entries()) {
    if (column === undefined || column === PASSWORD_COLUMN || column === HASH_COLUMN) continue;
    const steps = schemaColumns.stepsOf(column);
    const kind =
      steps !== undefined ? schemaColumns.kindOf(schemaId, column) : TEXT_MEMBERS.includes(column) ? 'text' : undefined;
    const value = readCell(cells[index] ?? '', kind);
    if (value === undefined) continue;
    if (column === 'state') stateCells.push([header[index] ?? '', String(value)]);
    else if (steps === undefined) members.set(column, value);
    else traits.push([steps, value]);
  }
  const state = stateIn(stateCells, states);
  if (state !== undefined) members.set('state', state);
  const others = members.get('traits');
  if (others !== undefined && !isObject(others) && traits.length > 0)
    return { line, problem: 'The column traits is not a JSON object, but there are columns for single traits.' };
  const merged =
    isObject(others) || others === undefined
      ? traits.reduce((all, [steps, value]) => withTrait(all, steps, value), others ?? {})
      : others;
  members.delete('traits');
  const config = passwordConfig(textAt(PASSWORD_COLUMN), textAt(HASH_COLUMN).trim());
  if (config !== undefined) {
    const credentials = members.get('credentials') ?? {};
    if (isObject(credentials) && 'password' in credentials)
      return { line, problem: 'Both the column credentials and the password column hold a password.' };
    // The check reports anything that is not an object.
    if (isObject(credentials)) members.set('credentials', { ...credentials, password: { config } });
  }
  return { line, members: { ...Object.fromEntries(members), traits: merged } };
}

/** As it is in the file. */
export const cellText = (cell: unknown = ''): string => (typeof cell === 'string' ? cell : JSON.stringify(cell));

/** Avoids plain assignment: a member may be called `__proto__`. */
function withTrait(target: JsonObject, [step = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const before = Object.hasOwn(target, step) ? target[step] : undefined;
  const after = rest.length === 0 ? value : withTrait(isObject(before) ? before : {}, rest, value);
  return Object.fromEntries([...Object.entries(target).filter(([name]) => name !== step), [step, after]]);
}

/** A password is taken literally, even if it looks like JSON; a hash never begins or ends with a space. */
function passwordConfig(password: string, hash: string): JsonObject | undefined {
  if (password.trim() === '' && hash === '') return undefined;
  return {
    ...(password.trim() === '' ? {} : { password }),
    ...(hash === '' ? {} : { hashed_password: hash }),
  };
}
