import { columnNamed, PASSWORD_COLUMNS } from '../import/file-password.ts';
import { IMPORT_ONLY_MEMBERS, PORTABLE_MEMBERS, STORE_MADE_MEMBERS } from './portable-identity.ts';
import type { ColumnKnowledge } from './trait-columns.ts';
import { TransferFileError } from './transfer-file.ts';

/** Members that a column may hold as a whole. */
export const MEMBER_COLUMNS: readonly string[] = [...PORTABLE_MEMBERS, ...IMPORT_ONLY_MEMBERS];
const KNOWN: readonly string[] = [...MEMBER_COLUMNS, ...STORE_MADE_MEMBERS, ...Object.keys(PASSWORD_COLUMNS)];

/** What each column of a file becomes; undefined if it is skipped. */
export type ColumnMapping = readonly (string | undefined)[];

/** Whether a file's first line consists of known column names. */
export const namesColumns = (header: readonly string[], known: ColumnKnowledge): boolean =>
  header.every((name) => isKnown(name.trim(), known)) && header.some((name) => isOfTraits(name.trim(), known));

/**
 * What each column of a file becomes: by its name, or by the operator's mapping.
 * @throws TransferFileError for an unknown column
 */
export function importColumns(
  header: readonly string[],
  known: ColumnKnowledge,
  mapping?: ColumnMapping,
): ColumnMapping {
  const columns = mapping ?? header.map((name) => name.trim());
  for (const [index, column] of columns.entries()) {
    if (column === undefined) continue;
    const called = columnNamed(column);
    if (columns.indexOf(column) !== index && column !== 'state')
      throw new TransferFileError(`The column “${called ?? index + 1}” appears twice.`);
    if (isKnown(column, known)) continue;
    const name = called === undefined ? `Column ${index + 1} has no name.` : `The column “${called}” is unknown.`;
    throw new TransferFileError(`${name} The first line names the columns: schema_id, traits.email and so on.`);
  }
  if (!columns.some((column) => column !== undefined && isOfTraits(column, known)))
    throw new TransferFileError('No column holds traits: the first line names columns such as traits.email.');
  return columns;
}

const isOfTraits = (column: string, known: ColumnKnowledge): boolean =>
  column === 'traits' || known.stepsOf(column) !== undefined;

const isKnown = (column: string, known: ColumnKnowledge): boolean =>
  KNOWN.includes(column) || known.stepsOf(column) !== undefined;
