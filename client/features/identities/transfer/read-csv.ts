import Papa from 'papaparse';
import { type ColumnMapping, importColumns } from './csv-columns.ts';
import { recordOf } from './read-csv-row.ts';
import type { ColumnKnowledge } from './trait-columns.ts';
import { expectRow, ROW_MAX_CHARACTERS, type SourceRecord, TransferFileError } from './transfer-file.ts';

const DELIMITERS = [',', ';', '\t'];

/**
 * Reads a header and one identity per row; see `csv-cells.ts` for cells. The separator (comma, semicolon or tab) is
 * detected in the header.
 * @param mapping what the columns mean, if the header does not say
 */
export async function* readCsv(
  text: AsyncIterable<string>,
  known: ColumnKnowledge,
  mapping?: ColumnMapping,
): AsyncGenerator<SourceRecord> {
  let columns: ColumnMapping | undefined;
  for await (const { line, cells, broken } of readRows(text)) {
    if (columns === undefined) columns = importColumns(cells, known, mapping);
    else if (broken) yield { line, problem: 'The quotation marks of this row do not match.' };
    else yield recordOf(line, cells, columns, known);
  }
}

/** The first lines of a file, uninterpreted. */
export interface CsvBeginning {
  header: readonly string[];
  /** The rows after the header. */
  samples: readonly (readonly string[])[];
}

const SAMPLES = 3;

/** @throws TransferFileError */
export async function readBeginning(text: AsyncIterable<string>): Promise<CsvBeginning> {
  const rows: string[][] = [];
  for await (const { cells } of readRows(text)) {
    rows.push(cells);
    if (rows.length > SAMPLES) break;
  }
  const [header = [], ...samples] = rows;
  return { header, samples };
}

interface Row {
  line: number;
  cells: string[];
  /** Its quotation marks do not match. */
  broken: boolean;
}

interface Parsed {
  data: string[][];
  errors: { code: string; row: number }[];
  meta: { cursor: number };
}

async function* readRows(text: AsyncIterable<string>): AsyncGenerator<Row> {
  let parser: Papa.Parser | undefined;
  let rest = '';
  let line = 1;
  function* rowsOf(content: string, isLast: boolean): Generator<Row> {
    parser ??= new Papa.Parser({ delimiter: delimiterOf(content), newline: newlineOf(content) });
    const { data, errors, meta } = parser.parse(content, 0, !isLast) as Parsed;
    rest = content.slice(meta.cursor);
    for (const [row, cells] of data.entries()) {
      const codes = errors.filter((error) => error.row === row).map(({ code }) => code);
      if (codes.includes('MissingQuotes')) throw neverClosed(line);
      if (cells.some((cell) => cell !== '')) yield { line, cells, broken: codes.length > 0 };
      line += 1 + cells.reduce((breaks, cell) => breaks + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    }
    // An unclosed quotation mark would turn the rest of the file into one cell.
    if (rest.length > ROW_MAX_CHARACTERS) throw neverClosed(line);
  }
  for await (const piece of text) {
    rest += piece;
    // The first line decides how the others are read.
    if (parser !== undefined || /[\r\n]/.test(rest.slice(0, -1))) yield* rowsOf(rest, false);
    if (line === 1) expectRow(rest);
  }
  if (rest !== '') yield* rowsOf(rest, true);
}

const neverClosed = (line: number): TransferFileError =>
  new TransferFileError(`A quotation mark in line ${line} is never closed.`);

const newlineOf = (content: string): '\r\n' | '\n' | '\r' => {
  const [newline] = /\r\n|\n|\r/.exec(content) ?? [];
  return newline === '\r\n' || newline === '\r' ? newline : '\n';
};

function delimiterOf(content: string): string {
  const header = content.slice(0, content.search(/[\r\n]|$/));
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
