import Papa from 'papaparse';
import { unescapeCell } from '../../../lib/files.ts';
import { HEAD_ROWS, headOf, importColumns, type NamesIn, type TableBeginning, type TableRow } from './columns.ts';
import { type SchemaColumns, valueIn } from './portable-identity.ts';
import { type FileOptions, type RowReading, recordOf } from './row-record.ts';
import { expectRow, ROW_MAX_CHARACTERS, type SourceRecord } from './transfer-file.ts';

/** Reads a header and one identity per row. Detects the separator (comma, semicolon or tab) in the first lines. */
export async function* readCsv(
  text: AsyncIterable<string>,
  schemaColumns: SchemaColumns,
  { names, mapping, states }: FileOptions = {},
): AsyncGenerator<SourceRecord> {
  const rows = readRows(text);
  const { header, rows: first } = await headIn(rows, names);
  const columns = importColumns(header, schemaColumns, mapping);
  const reading: RowReading = {
    header,
    columns,
    schemaColumns,
    states,
    readCell: (cell, kind) => valueIn(unescapeCell(String(cell)), kind),
  };
  const read = (row: TableRow): SourceRecord => {
    const { line, cells, broken } = row;
    if (broken) return { line, problem: 'The quotation marks in this row do not match.' };
    if (cells.length > columns.length)
      return { line, problem: `This row has ${cells.length} cells, but there are ${columns.length} columns.` };
    return recordOf(row, reading);
  };
  for (const row of first) yield read(row);
  for await (const row of rows) yield read(row);
}

const DELIMITERS = [',', ';', '\t'];
/** Large enough for the lines that determine the separator and the header. */
const HEAD_CHARACTERS = 100_000;

/** @throws an error for the operator */
export async function readBeginning(text: AsyncIterable<string>, names?: NamesIn): Promise<TableBeginning> {
  const rows = readRows(text);
  const head = await headIn(rows, names);
  await rows.return(undefined);
  return head;
}

async function headIn(rows: AsyncGenerator<TableRow>, names: NamesIn | undefined) {
  const first: TableRow[] = [];
  while (first.length < HEAD_ROWS) {
    const { value, done } = await rows.next();
    if (done) break;
    first.push(value);
  }
  return headOf(first, names);
}

async function* readRows(text: AsyncIterable<string>): AsyncGenerator<TableRow> {
  let parser: Papa.Parser | undefined;
  let rest = '';
  let line = 1;
  let skipped = 0;
  function* rowsOf(content: string, isLast: boolean): Generator<TableRow> {
    if (parser === undefined) {
      const separator = /^"?sep=([^\r\n])"?(?=[\r\n]|$)/i.exec(content)?.[1];
      if (separator !== undefined) skipped = 1;
      parser = new Papa.Parser({ delimiter: separator ?? delimiterOf(content), newline: newlineOf(content) });
    }
    const { data, errors, meta } = parser.parse(content, 0, !isLast) as Papa.ParseResult<string[]>;
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

const neverClosed = (line: number): Error => new Error(`A quotation mark on line ${line} is never closed.`);

const LINE_BREAK = /\r\n|\n|\r/;

/** Separator and header are detected in the first lines, which must have been read. */
const hasHead = (text: string): boolean =>
  (text.length > HEAD_CHARACTERS && LINE_BREAK.test(text.slice(0, -1))) || linesOf(text).length > HEAD_ROWS;

const linesOf = (text: string): string[] => text.slice(0, HEAD_CHARACTERS).split(LINE_BREAK);

const newlineOf = (content: string) => (LINE_BREAK.exec(content)?.[0] ?? '\n') as '\r\n' | '\n' | '\r';

/** The separator found in most of the first lines; among equals, that with the most cells in the first line. */
function delimiterOf(content: string): string {
  const lines = linesOf(content).slice(0, HEAD_ROWS);
  const scores = DELIMITERS.map((delimiter) => {
    const cells = lines.map((line) => line.split(delimiter).length);
    return cells.filter((count) => count > 1).length * HEAD_CHARACTERS + (cells[0] ?? 0);
  });
  return DELIMITERS[scores.indexOf(Math.max(...scores))] ?? ',';
}
