import Papa from 'papaparse';
import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { cellRead } from '../../../lib/files.ts';
import { type StateAnswers, stateIn } from './account-state.ts';
import {
  type ColumnMapping,
  HEAD_ROWS,
  headOf,
  importColumns,
  type NamesIn,
  type TableHead,
  type TableRow,
} from './columns.ts';
import { HASH_COLUMN, PASSWORD_COLUMN } from './file-password.ts';
import { type CellKind, type ColumnKnowledge, TEXT_MEMBERS, valueIn } from './portable-identity.ts';
import { expectRow, ROW_MAX_CHARACTERS, type SourceRecord, TransferFileError } from './transfer-file.ts';

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

const DELIMITERS = [',', ';', '\t'];
/** Enough for the lines that decide how the others are read. */
const HEAD_CHARACTERS = 100_000;

export interface CsvReading extends RowReading {
  /** Where the operator found the names of the columns. */
  names?: NamesIn | undefined;
}

/**
 * Reads a header and one identity per row; see `csv-cells.ts` for cells. The separator (comma, semicolon or tab) is
 * detected in the first lines.
 */
export async function* readCsv(
  text: AsyncIterable<string>,
  known: ColumnKnowledge,
  reading: CsvReading = {},
): AsyncGenerator<SourceRecord> {
  const rows = readRows(text);
  const { header, rows: first } = await headIn(rows, reading.names);
  const columns = importColumns(header, known, reading.mapping);
  const read = ({ line, cells, broken }: TableRow): SourceRecord => {
    if (broken) return { line, problem: 'The quotation marks of this row do not match.' };
    if (cells.length > columns.length)
      return { line, problem: `This row has ${cells.length} cells, but there are ${columns.length} columns.` };
    const textAt = (index: number): string => cells[index] ?? '';
    const valueAt: Parameters<typeof recordOf>[0]['valueAt'] = (index, kind) => valueIn(cellRead(textAt(index)), kind);
    return recordOf({ line, textAt, valueAt }, header, columns, known, reading.states);
  };
  for (const row of first) yield read(row);
  for await (const row of rows) yield read(row);
}

/** @throws TransferFileError */
export async function readBeginning(text: AsyncIterable<string>, names?: NamesIn): Promise<TableHead> {
  const rows = readRows(text);
  const head = await headIn(rows, names);
  await rows.return(undefined);
  return head;
}

async function headIn(rows: AsyncGenerator<TableRow>, names: NamesIn | undefined): Promise<TableHead> {
  const first: TableRow[] = [];
  while (first.length < HEAD_ROWS) {
    const { value, done } = await rows.next();
    if (done) break;
    first.push(value);
  }
  return headOf(first, names);
}

interface Parsed {
  data: string[][];
  errors: { code: string; row: number }[];
  meta: { cursor: number };
}

async function* readRows(text: AsyncIterable<string>): AsyncGenerator<TableRow> {
  let parser: Papa.Parser | undefined;
  let rest = '';
  let line = 1;
  let skipped = 0;
  function* rowsOf(content: string, isLast: boolean): Generator<TableRow> {
    if (parser === undefined) {
      const said = /^"?sep=([^\r\n])"?(?=[\r\n]|$)/i.exec(content)?.[1];
      if (said !== undefined) skipped = 1;
      parser = new Papa.Parser({ delimiter: said ?? delimiterOf(content), newline: newlineOf(content) });
    }
    const { data, errors, meta } = parser.parse(content, 0, !isLast) as Parsed;
    rest = content.slice(meta.cursor);
    for (const [row, cells] of data.entries()) {
      const codes = errors.filter((error) => error.row === row).map(({ code }) => code);
      if (codes.includes('MissingQuotes')) throw neverClosed(line);
      if (line > skipped && cells.some((cell) => cell !== '')) yield { line, cells, broken: codes.length > 0 };
      line += 1 + cells.reduce((breaks, cell) => breaks + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    }
    // An unclosed quotation mark would turn the rest of the file into one cell.
    if (rest.length > ROW_MAX_CHARACTERS) throw neverClosed(line);
  }
  for await (const piece of text) {
    rest += piece;
    if (parser !== undefined || hasHead(rest)) yield* rowsOf(rest, false);
    if (line === 1) expectRow(rest);
  }
  if (rest !== '') yield* rowsOf(rest, true);
}

const neverClosed = (line: number): TransferFileError =>
  new TransferFileError(`A quotation mark in line ${line} is never closed.`);

const LINE_BREAK = /\r\n|\n|\r/;

/** The first lines decide how the others are read. */
const hasHead = (text: string): boolean =>
  (text.length > HEAD_CHARACTERS && LINE_BREAK.test(text.slice(0, -1))) || linesOf(text).length > HEAD_ROWS;

const linesOf = (text: string): string[] => text.slice(0, HEAD_CHARACTERS).split(LINE_BREAK);

const newlineOf = (content: string): '\r\n' | '\n' | '\r' => {
  const [newline] = LINE_BREAK.exec(content) ?? [];
  return newline === '\r\n' || newline === '\r' ? newline : '\n';
};

/** The one that most of the first lines have, then the one that divides the first of them into most cells. */
function delimiterOf(content: string): string {
  const lines = linesOf(content).slice(0, HEAD_ROWS);
  const points = DELIMITERS.map((delimiter) => {
    const cells = lines.map((line) => line.split(delimiter).length);
    return cells.filter((count) => count > 1).length * HEAD_CHARACTERS + (cells[0] ?? 0);
  });
  return DELIMITERS[points.indexOf(Math.max(...points))] ?? ',';
}
