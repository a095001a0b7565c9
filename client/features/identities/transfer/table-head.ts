import { looksSecret } from '../import/file-password.ts';

/** The line of the column names; a file without them begins with data. */
export type NamesIn = number | 'nowhere';

/** The first lines of a table, uninterpreted. */
export interface TableBeginning {
  /** Empty texts where the file has no names. */
  header: readonly string[];
  /** The rows after the header. */
  samples: readonly (readonly string[])[];
}

export interface TableRow {
  line: number;
  cells: readonly string[];
  /** Its quotation marks do not match. */
  broken: boolean;
}

export interface TableHead extends TableBeginning {
  names: NamesIn;
  /** The rows that were read and hold data. */
  rows: readonly TableRow[];
}

/** How many rows are searched for the names. */
export const HEAD_ROWS = 10;
const SAMPLES = 3;

/**
 * Finds the names of the columns: titles and versions above them stand alone in their lines, and what looks like
 * somebody's data is no name.
 * @param said where the operator found them
 */
export function headOf(rows: readonly TableRow[], said?: NamesIn): TableHead {
  const table = rows.findIndex(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 1);
  const hasTitle = table > 0 && !rows[0]?.cells.some((cell) => cell.startsWith('traits'));
  const chosen = rows.findIndex(({ line }) => line === said);
  const first = chosen >= 0 ? chosen : hasTitle ? table : 0;
  const nameless = said === 'nowhere' || (chosen < 0 && (rows[first]?.cells ?? []).some((cell) => isData(cell.trim())));
  const data = rows.slice(nameless ? first : first + 1);
  const width = Math.max(0, ...data.map(({ cells }) => cells.length));
  return {
    header: nameless ? Array.from({ length: width }, () => '') : (rows[first]?.cells ?? []),
    samples: data.slice(0, SAMPLES).map(({ cells }) => cells),
    names: nameless ? 'nowhere' : (rows[first]?.line ?? 1),
    rows: data,
  };
}

const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;
const NUMBERS = /^\+?\d[\d ()/.:-]{4,30}$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const isEmail = (text: string): boolean => EMAIL.test(text);

/** An address, a number or date, an id, or a secret: nothing that names a column. */
const isData = (text: string): boolean => isEmail(text) || NUMBERS.test(text) || UUID.test(text) || looksSecret(text);

/** What may be shown of a column whose name does not say whether it holds secrets, such as salts. */
export const isHarmless = (text: string): boolean =>
  isEmail(text) || NUMBERS.test(text) || /^(?:true|false|\p{Lu}\p{Ll}+(?:[ '’-]\p{Lu}\p{Ll}+){0,4})$/u.test(text);
