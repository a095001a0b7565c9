import { traitColumns } from './trait-columns.ts';

/** A column of an export; of a trait with the way to it. */
export interface ExportColumn {
  name: string;
  steps?: readonly string[];
  /** The column is read as text, whatever stands in it. */
  isText?: boolean;
}

/** Made by the store: no import takes them, and people look for them. */
export const STORE_COLUMNS = ['id', 'created_at', 'updated_at'] as const;

/**
 * The columns of an export, known before the first row: one for each trait that a schema names. Whatever else is in the
 * traits shares the column `traits`, as JSON.
 */
export function exportColumns(schemas: readonly unknown[]): ExportColumn[] {
  const traits = new Map<string, ExportColumn>();
  for (const { column, steps, isText } of schemas.flatMap(traitColumns))
    traits.set(column, { name: column, steps, isText: isText || traits.get(column)?.isText === true });
  return [
    { name: 'id' },
    { name: 'schema_id' },
    { name: 'state' },
    { name: 'external_id' },
    ...traits.values(),
    { name: 'traits' },
    { name: 'metadata_public' },
    { name: 'metadata_admin' },
    { name: 'created_at' },
    { name: 'updated_at' },
  ];
}
