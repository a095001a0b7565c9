import type { IdentitySearchIds } from '../../../../shared/identities.ts';
import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { IDS_AT_ONCE, readStoredByIds } from '../../../api/identity-batches.ts';
import { idsThatMatch } from '../../../api/identity-search.ts';
import { deployment } from '../../../deployment.ts';
import { csvHeader, csvLine } from '../../../lib/files.ts';
import { parseExactJson } from '../../../lib/json.ts';
import type { ReadPage, RowWriter } from '../../../list/export.tsx';
import { saveFirst } from '../../../list/save-first.tsx';
import { valueAt } from '../../../record/json-editor.tsx';
import { type IdentitiesSearch, missingFrom, snapshotSearch } from '../identity-query.ts';
import {
  type CellKind,
  cellOf,
  membersPresent,
  PORTABLE_MEMBERS,
  type StoredIdentity,
  traitColumns,
  valueIn,
} from './portable-identity.ts';

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

/**
 * The pages of all who match a search when the first page is read; who has changed since and no longer fits is left
 * out, as far as the record says so: sessions are not read again.
 */
export function pagesThatMatch(search: IdentitiesSearch): ReadPage<StoredIdentity> {
  const question = snapshotSearch(search, Date.now());
  let found: Promise<IdentitySearchIds> | undefined;
  return async (token, signal) => {
    found ??= idsThatMatch(question.params, signal).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    const { ids, index } = await found;
    return { ...(await pageOf(ids, question.fits, token, signal)), missing: missingFrom(index) };
  };
}

/** The pages of these identities. */
export const pagesOf =
  (ids: readonly string[]): ReadPage<StoredIdentity> =>
  (token, signal) =>
    pageOf(ids, () => true, token, signal);

/** @param token the number of ids before the page */
async function pageOf(
  ids: readonly string[],
  fits: (identity: unknown) => boolean,
  token: string | undefined,
  signal: AbortSignal,
): ReturnType<ReadPage<StoredIdentity>> {
  const start = Number(token ?? 0);
  const asked = ids.slice(start, start + IDS_AT_ONCE);
  const rows = (await readStoredByIds(asked, parseExactJson, signal)).filter(fits);
  const end = start + asked.length;
  return { rows, leftOut: asked.length - rows.length, next: end < ids.length ? String(end) : undefined };
}

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

/** Identities before their deletion, in the form that the import takes. */
export const SAVE_IDENTITIES = saveFirst({
  about:
    'One line of JSON for each person, which the import of identities takes. Passwords, second factors and other secrets are not in it: a person who is imported again has to set them up again, under a new id.',
  subject: `identities-${deployment}`,
  writer: ndjsonWriter(PORTABLE_MEMBERS),
  pagesOf,
});
