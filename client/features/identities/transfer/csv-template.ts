import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { csvHeader } from '../../../lib/csv-line.ts';
import { PASSWORD_COLUMNS } from '../import/file-password.ts';
import { traitColumns } from './trait-columns.ts';

/**
 * The header of an import file: a column for each trait of the schema, and two for passwords if the schema uses them.
 */
export function templateOf({ schema }: IdentitySchema): Blob {
  const traits = traitColumns(schema);
  const columns = [
    'schema_id',
    'state',
    'external_id',
    ...traits.map(({ column }) => column),
    'metadata_public',
    'metadata_admin',
    ...(traits.some(({ isForPassword }) => isForPassword) ? Object.keys(PASSWORD_COLUMNS) : []),
  ];
  return new Blob([csvHeader(columns)], { type: 'text/csv' });
}
