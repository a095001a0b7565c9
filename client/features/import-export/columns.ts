import { isUuid } from '../../../shared/json.ts';
import type { IdentitySchema } from '../../api/identity-schemas.ts';
import { csvHeader } from '../../lib/files.ts';
import { columnNamed, formatHash, looksHashed, looksSecret, PASSWORD_COLUMNS } from './file-password.ts';
import {
  IMPORTED_MEMBERS,
  PORTABLE_MEMBERS,
  type SchemaColumns,
  STORE_MADE_MEMBERS,
  traitColumns,
} from './portable-identity.ts';

/** The line with the column names, or `nowhere` if the file starts with data. */
export type NamesIn = number | 'nowhere';

/** The raw first rows of a table. */
export interface TableBeginning {
  /** Empty strings if the file has no column names. */
  header: readonly string[];
  /** The rows after the header; none if an NDJSON file needs no mapping. */
  samples: readonly (readonly string[])[];
  /** Undefined for NDJSON, where every line contains the names. */
  names?: NamesIn;
  /** What the operator should know about how the file is read. */
  note?: string | undefined;
}

export interface TableRow {
  line: number;
  cells: readonly string[];
  /** The quotation marks in the row do not match. */
  broken: boolean;
}

/** Number of rows searched for the column names. */
export const HEAD_ROWS = 10;
const SAMPLES = 3;
export const COLUMNS_MAX = 500;

/**
 * Finds the row with the column names. Title rows above it have only one cell, and a row that looks like personal data
 * is not a header.
 */
export function headOf(rows: readonly TableRow[], chosen?: NamesIn): TableBeginning & { rows: readonly TableRow[] } {
  const table = rows.findIndex(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 1);
  const hasTitle = table > 0 && !rows[0]?.cells.some((cell) => cell.startsWith('traits'));
  const at = rows.findIndex(({ line }) => line === chosen);
  const first = at >= 0 ? at : hasTitle ? table : 0;
  const nameless = chosen === 'nowhere' || (at < 0 && (rows[first]?.cells ?? []).some((cell) => isData(cell.trim())));
  const data = rows.slice(nameless ? first : first + 1);
  const width = Math.max(0, ...data.map(({ cells }) => cells.length));
  if (width > COLUMNS_MAX || (rows[first]?.cells.length ?? 0) > COLUMNS_MAX)
    throw new Error(`This file has more than ${COLUMNS_MAX} columns. Remove those that are not imported.`);
  return {
    header: nameless ? Array.from({ length: width }, () => '') : (rows[first]?.cells ?? []),
    samples: data.slice(0, SAMPLES).map(({ cells }) => cells),
    names: nameless ? 'nowhere' : (rows[first]?.line ?? 1),
    rows: data,
  };
}

/** Also excludes JSON, which may contain an address. */
const EMAIL = /^[^\s@"]+@[^\s@."]+(?:\.[^\s@."]+)+$/;
const NUMBERS = /^\+?\d[\d ()/.:-]{4,30}$/;

export const isEmail = (text: string): boolean => EMAIL.test(text);

/** Matches addresses, numbers, dates, ids and secrets: none of them is a column name. */
const isData = (text: string): boolean => isEmail(text) || NUMBERS.test(text) || isUuid(text) || looksSecret(text);

/** Text that may be displayed even if the column might hold secrets, such as salts. */
export const isHarmless = (text: string): boolean =>
  isEmail(text) || NUMBERS.test(text) || /^(?:true|false|\p{Lu}\p{Ll}+(?:[ '’-]\p{Lu}\p{Ll}+){0,4})$/u.test(text);

const KNOWN: readonly string[] = [...IMPORTED_MEMBERS, ...STORE_MADE_MEMBERS, ...Object.keys(PASSWORD_COLUMNS)];

/** The target of each column; undefined if the column is skipped. */
export type ColumnMapping = readonly (string | undefined)[];

/** Whether the first line of a file consists of known column names. */
export const namesColumns = (header: readonly string[], schemaColumns: SchemaColumns): boolean =>
  header.every((name) => isKnown(name.trim(), schemaColumns)) &&
  header.some((name) => isOfTraits(name.trim(), schemaColumns));

/**
 * Resolves the target of each column, by its name or by the operator's mapping.
 * @throws an error for the operator
 */
export function importColumns(
  header: readonly string[],
  schemaColumns: SchemaColumns,
  mapping?: ColumnMapping,
): ColumnMapping {
  const columns = mapping ?? header.map((name) => name.trim());
  for (const [index, column] of columns.entries()) {
    if (column === undefined) continue;
    const called = columnNamed(column);
    if (columns.indexOf(column) !== index && column !== 'state')
      throw new Error(`The column “${called ?? index + 1}” appears twice.`);
    if (isKnown(column, schemaColumns)) continue;
    const name = called === undefined ? `Column ${index + 1} has no name.` : `The column “${called}” is unknown.`;
    throw new Error(`${name} The first line must name the columns, such as schema_id and traits.email.`);
  }
  if (!columns.some((column) => column !== undefined && isOfTraits(column, schemaColumns)))
    throw new Error('No column contains traits. The first line must name columns such as traits.email.');
  return columns;
}

const isOfTraits = (column: string, schemaColumns: SchemaColumns): boolean =>
  column === 'traits' || schemaColumns.stepsOf(column) !== undefined;

const isKnown = (column: string, schemaColumns: SchemaColumns): boolean =>
  KNOWN.includes(column) || schemaColumns.stepsOf(column) !== undefined;

/** An empty import file: one column per trait, and two for passwords if the schema has passwords. */
export function templateOf({ schema }: IdentitySchema): Blob {
  const traits = traitColumns(schema);
  const columns = PORTABLE_MEMBERS.flatMap((name) => (name === 'traits' ? traits.map(({ column }) => column) : [name]));
  if (traits.some(({ isForPassword }) => isForPassword)) columns.push(...Object.keys(PASSWORD_COLUMNS));
  return new Blob([csvHeader(columns)], { type: 'text/csv' });
}

/** Columns with secrets. Their values never appear on screen, whatever the mapping. */
const SECRET = /pass(?:w|phrase|$)|pwd|^pw$|kennwort|motdepasse|hash|bcrypt|secret|credential|token|salt/i;

/** Also searches JSON and longer texts, such as the tokens of linked accounts. */
const holdsSecret = (cell: string): boolean =>
  (/^[[{]/.test(cell) && SECRET.test(cell)) || cell.split(/[\s"',:;[\]{}]+/).some(looksSecret);

/** Sample values of a column, without passwords and hashes. */
export function samplesShown(
  { header, samples }: TableBeginning,
  index: number,
  becomes: ColumnMapping[number],
): string {
  const isSecret =
    (becomes !== undefined && (becomes in PASSWORD_COLUMNS || becomes === 'credentials')) ||
    SECRET.test((header[index] ?? '').replaceAll(/[\s_-]/g, ''));
  const cells = samples.map((row) => (row[index] ?? '').trim()).filter((cell) => cell !== '');
  const isShown = (cell: string): boolean =>
    !isSecret && !holdsSecret(cell) && (columnNamed(header[index] ?? '') !== undefined || isHarmless(cell));
  const shown = cells.map((cell) => (looksHashed(cell) ? formatHash(cell) : isShown(cell) ? cell : 'not shown'));
  return [...(isSecret ? new Set(shown) : shown)].join(', ');
}
