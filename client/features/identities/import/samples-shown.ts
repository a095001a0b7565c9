import type { ColumnMapping } from '../transfer/csv-columns.ts';
import type { CsvBeginning } from '../transfer/read-csv.ts';
import { formatHash, looksHashed, PASSWORD_COLUMNS } from './file-password.ts';

/** Columns whose values must not be visible over an operator's shoulder, whatever they are mapped to. */
const SECRET = /pass(?:w|phrase|$)|pwd|^pw$|kennwort|motdepasse|hash|bcrypt|secret|credential|token|salt/i;

/** The first values of a column, without passwords and hashes. */
export function samplesShown({ header, samples }: CsvBeginning, index: number, becomes: ColumnMapping[number]): string {
  const isSecret =
    (becomes !== undefined && (becomes in PASSWORD_COLUMNS || becomes === 'credentials')) ||
    SECRET.test((header[index] ?? '').replaceAll(/[\s_-]/g, ''));
  const cells = samples.map((row) => (row[index] ?? '').trim()).filter((cell) => cell !== '');
  const shown = cells.map((cell) => (looksHashed(cell) ? formatHash(cell) : isSecret ? 'not shown' : cell));
  return [...(isSecret ? new Set(shown) : shown)].join(', ');
}
