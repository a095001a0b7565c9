import { isObject } from '../../../json-object.ts';
import type { RowWriter } from '../../../resource/export/export-run.ts';
import { csvLine } from '../../../ui/csv-line.ts';
import { cellOf } from './csv-cells.ts';
import { traitOfColumn } from './csv-columns.ts';
import { membersPresent, PORTABLE_MEMBERS, type StoredIdentity } from './portable-identity.ts';

/** Writes identities so that reading the file again gives the same people. */
export type IdentityWriter = RowWriter<StoredIdentity>;

const portable = (identity: StoredIdentity): StoredIdentity => membersPresent(identity, PORTABLE_MEMBERS);

export const ndjsonWriter: IdentityWriter = {
  start: '',
  write: (identity) => `${JSON.stringify(portable(identity))}\n`,
};

export const csvWriter = (columns: readonly string[]): IdentityWriter => ({
  start: csvLine(columns),
  write: (identity) => csvLine(cellsOf(portable(identity), columns)),
});

function cellsOf(identity: StoredIdentity, columns: readonly string[]): string[] {
  const { traits } = identity;
  // Traits are an object by every schema; should they be anything else, they stand in the column `traits` as they are.
  if (!isObject(traits)) return columns.map((column) => cellOf(identity[column]));
  const others = { ...traits };
  for (const column of columns) delete others[traitOfColumn(column) ?? ''];
  return columns.map((column) => {
    const trait = traitOfColumn(column);
    if (trait !== undefined) return Object.hasOwn(traits, trait) ? cellOf(traits[trait]) : '';
    if (column === 'traits') return Object.keys(others).length === 0 ? '' : cellOf(others);
    return cellOf(identity[column]);
  });
}
