import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { csvLine, REPORT_START } from '../../../ui/csv-line.ts';
import { traitColumns } from './trait-columns.ts';

/** The header of a file to import, with a column for each trait of the schema. */
export const templateOf = ({ schema }: IdentitySchema): Blob =>
  new Blob(
    [
      REPORT_START,
      csvLine([
        'schema_id',
        'state',
        'external_id',
        ...traitColumns(schema).map(({ column }) => column),
        'metadata_public',
        'metadata_admin',
      ]),
    ],
    { type: 'text/csv' },
  );
