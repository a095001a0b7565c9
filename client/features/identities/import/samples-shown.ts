import type { ColumnMapping } from '../transfer/csv-columns.ts';
import { isHarmless, type TableBeginning } from '../transfer/table-head.ts';
import { columnNamed, formatHash, looksHashed, looksSecret, PASSWORD_COLUMNS } from './file-password.ts';

/** Columns whose values must not be visible over an operator's shoulder, whatever they are mapped to. */
const SECRET = /pass(?:w|phrase|$)|pwd|^pw$|kennwort|motdepasse|hash|bcrypt|secret|credential|token|salt/i;

/** Also within JSON and longer texts: the tokens of linked accounts, say. */
const holdsSecret = (cell: string): boolean =>
  (/^[[{]/.test(cell) && SECRET.test(cell)) || cell.split(/[\s"',:;[\]{}]+/).some(looksSecret);

/** The first values of a column, without passwords and hashes. */
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
