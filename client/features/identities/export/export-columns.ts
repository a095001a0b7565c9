import type { CellKind } from '../transfer/csv-cells.ts';
import { traitColumns } from '../transfer/trait-columns.ts';

/** A column of an export; for a trait, with its path. */
export interface ExportColumn {
  name: string;
  steps?: readonly string[];
  /** The types that the schemas give it. */
  kinds?: ReadonlySet<CellKind>;
}

/** Set by the store: not imported, but useful to people. */
export const STORE_COLUMNS = ['id', 'created_at', 'updated_at'] as const;

/**
 * The columns of an export, fixed before the first row: one for each trait in a schema. All other traits share the
 * column `traits`, as JSON.
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
