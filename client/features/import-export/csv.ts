import Papa from 'papaparse';
import { unescapeCell } from '../../lib/files.ts';
import { HEAD_ROWS, headOf, importColumns, type NamesIn, type TableBeginning, type TableRow } from './columns.ts';
import { type SchemaColumns, valueIn } from './portable-identity.ts';
import { type FileOptions, type RowReading, recordOf } from './row-record.ts';
import { expectRow, type SourceRecord } from './transfer-file.ts';

/** Reads a header and one identity per row. Detects the separator in the first lines. */
export async function* readCsv(
  text: AsyncIterable<string>,
  schemaColumns: SchemaColumns,
  { names, mapping, states }: FileOptions = {},
): AsyncGenerator<SourceRecord> {
  const rows = readRows(text);
  const { header, rows: first, unmarked } = await headIn(rows, names);
  const columns = importColumns(header, schemaColumns, mapping);
  const readCell: RowReading['readCell'] = (cell, kind) => valueIn(unescapeCell(String(cell)), kind);
  const reading = { header, columns, schemaColumns, states, readCell };
  const read = (row: TableRow): SourceRecord => {
    const { line, cells, broken } = row;
    if (broken) return { line, problem: 'The quotation marks in this row do not match.' };
    if (cells.length > columns.length)
      return { line, problem: `This row has ${cells.length} cells, but there are ${columns.length} columns.` };
    return recordOf(line, unmarked(cells), reading);
  };
  for (const row of first) yield read(row);
  for await (const row of rows) yield read(row);
}

const DELIMITERS = [',', ';', '\t'];
/** Signs that names do not have. They also occur in texts, so they separate cells only if every line has as many. */
const SIGNS = / ?[^\p{L}\p{N}\s"'@._()[\]/,;-]+ ?/gu;
const SEPARATORS = new RegExp(`(?<=[\\p{L}\\p{N}]"?)(?:${SIGNS.source}|\\s{2,})(?="?[\\p{L}\\p{N}])`, 'gu');
const separatorsIn = ([cell = '']: readonly string[]): string[] =>
  (cell.match(SEPARATORS) ?? []).map((sign) => sign.trim());
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
  const head = headOf(first, names);
  const inRows = new Set(head.rows.flatMap(({ cells }) => separatorsIn(cells)));
  if (head.header.length === 1 && separatorsIn(head.header).some((sign) => inRows.has(sign)))
    throw new Error(
      'The name of the only column looks like several. Add a line such as sep=| above it, or save the file with commas. If it is one name, change it.',
    );
  const columns = head.header.map((_, index) => head.rows.map(({ cells }) => cells[index] ?? ''));
  const marks = marksOf(columns);
  const unmarked = (cells: readonly string[]): readonly string[] =>
    cells.map((cell, index) => cell.replace(marks[index] ?? '', ''));
  const note = marks.some(Boolean) ? 'The apostrophe before each text in this file is removed.' : undefined;
  return { ...head, header: unmarked(head.header), samples: head.samples.map(unmarked), note, unmarked };
}

const SIGN = /^'(?!\p{L}[ -])/u;

/**
 * What another program put before every text of a column; it leaves numbers as they are. Names such as ’t Hooft are no
 * sign of that, nor is an export of this dashboard.
 */
function marksOf(columns: readonly (readonly string[])[]): readonly (RegExp | undefined)[] {
  const isMarked = (cell: string): boolean => cell.startsWith("'") || /^(?:-?[\d.,]*|true|false)$/i.test(cell);
  const isSign = (cell: string): boolean => SIGN.test(cell) && unescapeCell(cell) === cell;
  const marks = columns.map((cells) => (cells.every(isMarked) ? (cells.some(isSign) ? /^'/ : SIGN) : undefined));
  return marks.some((mark) => mark !== undefined && mark !== SIGN) ? marks : [];
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
    const unclosed = errors.find(({ code }) => code === 'MissingQuotes')?.row;
    const broken = new Set(errors.map(({ row }) => row));
    for (const [row, cells] of data.entries()) {
      if (row === unclosed) throw new Error(`A quotation mark on line ${line} is never closed.`);
      if (line > skipped && cells.some((cell) => cell !== '')) yield { line, cells, broken: broken.has(row) };
      line += 1 + cells.reduce((breaks, cell) => breaks + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    }
  }
  for await (const piece of text) {
    rest += piece;
    if (parser !== undefined || hasHead(rest)) yield* rowsOf(rest, false);
    expectRow(rest, line);
  }
  if (rest !== '') yield* rowsOf(rest, true);
}

const LINE_BREAK = /\r\n|\n|\r/;

/** Separator and header are detected in the first lines, which must have been read. */
const hasHead = (text: string): boolean =>
  (text.length > HEAD_CHARACTERS && LINE_BREAK.test(text.slice(0, -1))) || linesOf(text).length > HEAD_ROWS;

const linesOf = (text: string): string[] => text.slice(0, HEAD_CHARACTERS).split(LINE_BREAK);

const newlineOf = (content: string) => (LINE_BREAK.exec(content)?.[0] ?? '\n') as '\r\n' | '\n' | '\r';

/** The separator found in most of the first lines; among equals, that with the most cells in the first line. */
function delimiterOf(content: string): string {
  const head = content.slice(0, HEAD_CHARACTERS);
  const tableOf = (delimiter: string) => {
    const parser = new Papa.Parser({ delimiter, newline: newlineOf(content) });
    const rows = (parser.parse(head, 0, false) as Papa.ParseResult<string[]>).data;
    const widths = rows.flatMap((cells) => (cells.join('').trim() === '' ? [] : cells.length)).slice(0, HEAD_ROWS);
    return { delimiter, widths, lines: widths.filter((width) => width > 1).length };
  };
  const usual = DELIMITERS.map(tableOf);
  const first = usual.some(({ widths: [width = 0] }) => width > 1) ? '' : (/\S.*/.exec(head)?.[0] ?? '');
  const signs = new Set(first.match(SIGNS)?.flatMap((sign) => [sign, sign.trim()]));
  const others = [...signs].slice(0, 10).map(tableOf);
  const even = others.filter(({ widths, lines }) => lines > 0 && new Set(widths).size === 1);
  const tables = even.length > 0 ? even : usual;
  return tables.sort((a, b) => b.lines - a.lines || (b.widths[0] ?? 0) - (a.widths[0] ?? 0))[0]?.delimiter ?? ',';
}
