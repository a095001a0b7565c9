import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { csvHeader, csvLine } from '../../../lib/csv-line.ts';
import type { RowWriter } from '../../../resource/export/export-run.ts';
import { valueAt } from '../../../resource/form/json-value.ts';
import { cellOf, valueIn } from '../transfer/csv-cells.ts';
import { membersPresent, type StoredIdentity } from '../transfer/portable-identity.ts';
import type { ExportColumn } from './export-columns.ts';

/** Writes identities so that reading the file back gives the same identities. */
export type IdentityWriter = RowWriter<StoredIdentity>;

/** Selects whole members only: traits are all or nothing. */
export const ndjsonWriter = (members: readonly string[]): IdentityWriter => ({
  start: '',
  write: (identity) => `${JSON.stringify(membersPresent(identity, members))}\n`,
});

/** @param options.raw leaves cells as they are that a spreadsheet program would run */
export const csvWriter = (columns: readonly ExportColumn[], options?: { raw: boolean }): IdentityWriter => ({
  start: csvHeader(columns.map(({ name }) => name)),
  write: (identity) => csvLine(cellsOf(identity, columns), options),
});

function cellsOf(identity: StoredIdentity, columns: readonly ExportColumn[]): string[] {
  const { traits } = identity;
  const present = membersPresent(
    identity,
    columns.map(({ name }) => name),
  );
  let others: unknown = traits;
  const cells = columns.map(({ name, steps, kinds }) => {
    if (steps === undefined) return name === 'traits' ? '' : cellOf(present[name]);
    const value = valueAt(traits, steps);
    const cell = cellOf(value);
    // Read back, such a column turns other values into strings, and 1 into true if it is boolean.
    const isOther =
      (kinds?.has('text') && typeof value !== 'string') ||
      (kinds?.has('boolean') && typeof value !== 'boolean' && typeof valueIn(cell, 'boolean') === 'boolean');
    if (value === undefined || isOther) return '';
    others = without(others, steps);
    return cell;
  });
  // Every schema makes traits an object; anything else is written to the column `traits` as it is.
  const rest = columns.findIndex(({ name }) => name === 'traits');
  if (rest >= 0 && others !== undefined && !(isObject(others) && Object.keys(others).length === 0))
    cells[rest] = cellOf(others);
  return cells;
}

/** Removes the member at a path, and parents that become empty. */
function without(value: unknown, [step = '', ...rest]: readonly string[]): JsonObject {
  const { [step]: member, ...others } = value as JsonObject;
  if (rest.length === 0) return others;
  const left = without(member, rest);
  return Object.keys(left).length === 0 ? others : { ...others, [step]: left };
}
