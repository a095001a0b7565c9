import type { CellKind } from '../transfer/csv-cells.ts';
import { traitColumns } from '../transfer/trait-columns.ts';

/** A column of an export; of a trait with the way to it. */
export interface ExportColumn {
  name: string;
  steps?: readonly string[];
  /** What the schemas say that it is read as, whatever stands in it. */
  kinds?: ReadonlySet<CellKind>;
}

/** Made by the store: no import takes them, and people look for them. */
export const STORE_COLUMNS = ['id', 'created_at', 'updated_at'] as const;

/**
 * The columns of an export, known before the first row: one for each trait that a schema names. Whatever else is in the
 * traits shares the column `traits`, as JSON.
 */
export function exportColumns(schemas: readonly unknown[]): ExportColumn[] {
  const traits = new Map<string, ExportColumn>();
  for (const { column, steps, kind } of schemas.flatMap(traitColumns))
    traits.set(column, { name: column, steps, kinds: new Set(traits.get(column)?.kinds).add(kind) });
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
