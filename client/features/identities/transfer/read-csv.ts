import Papa from 'papaparse';
import { isObject } from '../../../json-object.ts';
import { valueIn } from './csv-cells.ts';
import { importColumns, traitOfColumn } from './csv-columns.ts';
import { TEXT_MEMBERS } from './portable-identity.ts';
import { type SourceRecord, TransferFileError } from './transfer-file.ts';

/** Whether a trait is text by the schema of the row, so that 12345 stays text. */
export type IsText = (schemaId: string | undefined, trait: string) => boolean;

const DELIMITERS = [',', ';', '\t'];

/** A header and one identity on each row; cells as `csv-cells.ts` says. Comma, semicolon or tab, as the header has it. */
export async function* readCsv(text: AsyncIterable<string>, isText: IsText): AsyncGenerator<SourceRecord> {
  let columns: string[] | undefined;
  for await (const { line, cells, broken } of readRows(text)) {
    if (columns === undefined) columns = importColumns(cells);
    else if (broken) yield { line, problem: 'The quotation marks of this row do not match.' };
    else yield recordOf(line, cells, columns, isText);
  }
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

/** No row is that long: a quotation mark is not closed, and the rest of the file would be one cell. */
const ROW_MAX_CHARACTERS = 4_000_000;

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
    if (rest.length > ROW_MAX_CHARACTERS) throw neverClosed(line);
  }
  for await (const piece of text) {
    rest += piece;
    // The first line decides how the others are read.
    if (parser !== undefined || /[\r\n]/.test(rest.slice(0, -1))) yield* rowsOf(rest, false);
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

function recordOf(line: number, cells: readonly string[], columns: readonly string[], isText: IsText): SourceRecord {
  if (cells.length > columns.length)
    return { line, problem: `This row has ${cells.length} cells, but there are ${columns.length} columns.` };
  const schemaId = cells[columns.indexOf('schema_id')] || undefined;
  const members: [string, unknown][] = [];
  const traits: [string, unknown][] = [];
  for (const [index, column] of columns.entries()) {
    const trait = traitOfColumn(column);
    const asText = trait === undefined ? TEXT_MEMBERS.includes(column) : isText(schemaId, trait);
    const value = valueIn(cells[index] ?? '', asText);
    if (value !== undefined) (trait === undefined ? members : traits).push([trait ?? column, value]);
  }
  // Not by assignment: a member may be called `__proto__`.
  const others = members.find(([name]) => name === 'traits')?.[1];
  if (others !== undefined && !isObject(others) && traits.length > 0)
    return { line, problem: 'The column traits holds no JSON object, and there are columns for single traits.' };
  const merged =
    isObject(others) || others === undefined
      ? Object.fromEntries([...Object.entries(others ?? {}), ...traits])
      : others;
  return { line, members: Object.fromEntries([...members.filter(([name]) => name !== 'traits'), ['traits', merged]]) };
}
