import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { HASH_COLUMN, PASSWORD_COLUMN } from '../import/file-password.ts';
import { type StateAnswers, stateIn } from './account-state.ts';
import type { CellKind } from './csv-cells.ts';
import type { ColumnMapping } from './csv-columns.ts';
import { TEXT_MEMBERS } from './portable-identity.ts';
import type { ColumnKnowledge } from './trait-columns.ts';
import type { SourceRecord } from './transfer-file.ts';

/** How the rows of a file become identities. */
export interface RowReading {
  /** What the columns mean, if their names do not say. */
  mapping?: ColumnMapping | undefined;
  /** What words for the state mean that are not known. */
  states?: StateAnswers | undefined;
}

export interface SourceRow {
  line: number;
  /** As it is in the file. */
  textAt(index: number): string;
  /** Undefined for none. */
  valueAt(index: number, kind: CellKind): unknown;
}

/** The identity in one row. */
export function recordOf(
  row: SourceRow,
  header: readonly string[],
  columns: ColumnMapping,
  known: ColumnKnowledge,
  states?: StateAnswers,
): SourceRecord {
  const { line } = row;
  const schemaId = row.textAt(columns.indexOf('schema_id')) || undefined;
  const members = new Map<string, unknown>();
  const traits: [steps: readonly string[], value: unknown][] = [];
  const saidOfState: [name: string, text: string][] = [];
  for (const [index, column] of columns.entries()) {
    if (column === undefined || column === PASSWORD_COLUMN || column === HASH_COLUMN) continue;
    const steps = known.stepsOf(column);
    const kind =
      steps !== undefined ? known.kindOf(schemaId, column) : TEXT_MEMBERS.includes(column) ? 'text' : undefined;
    const value = row.valueAt(index, kind);
    if (value === undefined) continue;
    if (column === 'state') saidOfState.push([header[index] ?? '', String(value)]);
    else if (steps === undefined) members.set(column, value);
    else traits.push([steps, value]);
  }
  const state = stateIn(saidOfState, states);
  if (state !== undefined) members.set('state', state);
  const others = members.get('traits');
  if (others !== undefined && !isObject(others) && traits.length > 0)
    return { line, problem: 'The column traits is not a JSON object, but there are columns for single traits.' };
  const merged =
    isObject(others) || others === undefined
      ? traits.reduce((all, [steps, value]) => withTrait(all, steps, value), others ?? {})
      : others;
  members.delete('traits');
  const config = passwordOf(row, columns);
  if (config !== undefined) {
    const credentials = members.get('credentials') ?? {};
    if (isObject(credentials) && 'password' in credentials)
      return { line, problem: 'Both the column credentials and the password column hold a password.' };
    // The check reports anything that is not an object.
    if (isObject(credentials)) members.set('credentials', { ...credentials, password: { config } });
  }
  return { line, members: { ...Object.fromEntries(members), traits: merged } };
}

/** Avoids plain assignment: a member may be called `__proto__`. */
function withTrait(target: JsonObject, [step = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const before = Object.hasOwn(target, step) ? target[step] : undefined;
  const after = rest.length === 0 ? value : withTrait(isObject(before) ? before : {}, rest, value);
  return Object.fromEntries([...Object.entries(target).filter(([name]) => name !== step), [step, after]]);
}

/** A password is taken literally, even if it looks like JSON; a hash never begins or ends with a space. */
function passwordOf(row: SourceRow, columns: ColumnMapping): JsonObject | undefined {
  const cellOf = (column: string): string => row.textAt(columns.indexOf(column));
  const password = cellOf(PASSWORD_COLUMN);
  const hash = cellOf(HASH_COLUMN).trim();
  if (password.trim() === '' && hash === '') return undefined;
  return {
    ...(password.trim() === '' ? {} : { password }),
    ...(hash === '' ? {} : { hashed_password: hash }),
  };
}
