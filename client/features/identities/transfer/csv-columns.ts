import { traitsOf } from './identity-schema.ts';
import { IMPORT_ONLY_MEMBERS, PORTABLE_MEMBERS, STORE_MADE_MEMBERS } from './portable-identity.ts';
import { TransferFileError } from './transfer-file.ts';

const TRAIT = 'traits.';
const KNOWN: readonly string[] = [...PORTABLE_MEMBERS, ...IMPORT_ONLY_MEMBERS, ...STORE_MADE_MEMBERS];

/**
 * The columns of an export, known before the first row: one for each trait that a schema names. Traits that no
 * schema names share the column `traits`, as JSON.
 */
export function exportColumns(schemas: readonly unknown[]): string[] {
  const traits = new Set(schemas.flatMap((schema) => Object.keys(traitsOf(schema))));
  return [
    'schema_id',
    'state',
    'external_id',
    ...[...traits].map((name) => TRAIT + name),
    'traits',
    'metadata_public',
    'metadata_admin',
  ];
}

/** The trait of a column such as `traits.email`; all that follows the first dot is its name. */
export const traitOfColumn = (column: string): string | undefined =>
  column.startsWith(TRAIT) && column.length > TRAIT.length ? column.slice(TRAIT.length) : undefined;

/** The columns that a file's first line names. @throws TransferFileError for one that means nothing here */
export function importColumns(header: readonly string[]): string[] {
  const columns = header.map((name) => name.trim());
  for (const [index, column] of columns.entries()) {
    if (columns.indexOf(column) !== index) throw new TransferFileError(`The column “${column}” is there twice.`);
    if (KNOWN.includes(column) || traitOfColumn(column) !== undefined) continue;
    const name = column === '' ? `Column ${index + 1} has no name.` : `The column “${column}” is not known.`;
    throw new TransferFileError(`${name} The first line names the columns: schema_id, traits.email and so on.`);
  }
  if (!columns.some((column) => column === 'traits' || traitOfColumn(column) !== undefined))
    throw new TransferFileError('No column holds traits: the first line names columns such as traits.email.');
  return columns;
}
