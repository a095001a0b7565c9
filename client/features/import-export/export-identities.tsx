import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId } from 'react';
import type { IdentitySearchIds } from '../../../shared/identities.ts';
import { isObject, type JsonObject } from '../../../shared/json.ts';
import { IDS_AT_ONCE, readStoredByIds } from '../../api/identity-batches.ts';
import type { IdentityFilters } from '../../api/identity-filters.ts';
import { identitySchemasQuery } from '../../api/identity-schemas.ts';
import { matchingIds } from '../../api/identity-search.ts';
import { missingFrom, snapshotSearch } from '../../api/search-snapshot.ts';
import { deployment } from '../../deployment.ts';
import { csvHeader, csvLine, fileName, saveFile } from '../../lib/files.ts';
import { counted } from '../../lib/format-count.ts';
import { type ReadPage, type RowWriter, saveFirst, startExport } from '../../list/export.tsx';
import { valueAt } from '../../record/member-changes.ts';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { Modal } from '../../ui/modal.tsx';
import { RunProgress } from '../../ui/run-progress.tsx';
import { toast } from '../../ui/toasts.tsx';
import { type CellKind, cellOf, membersPresent, PORTABLE_MEMBERS, traitColumns, valueIn } from './portable-identity.ts';

/** A column of an export. Trait columns have the path of the trait. */
export interface ExportColumn {
  name: string;
  steps?: readonly string[];
  /** The types that the schemas allow for the trait. */
  kinds?: ReadonlySet<CellKind>;
}

/**
 * Determines the columns before the first row: one per trait in any schema. All other traits share the JSON column
 * `traits`.
 */
export function exportColumns(schemas: readonly unknown[]): ExportColumn[] {
  const traits = new Map<string, ExportColumn>();
  for (const { column, steps, kind } of schemas.flatMap(traitColumns))
    traits.set(column, { name: column, steps, kinds: new Set(traits.get(column)?.kinds).add(kind) });
  const columns = (...names: string[]): ExportColumn[] => names.map((name) => ({ name }));
  return [
    ...columns('id', 'schema_id', 'state', 'external_id'),
    ...traits.values(),
    ...columns('traits', 'metadata_public', 'metadata_admin', 'created_at', 'updated_at'),
  ];
}

/**
 * Pages of the identities that match a search when the export starts. Skips identities that no longer match when their
 * page is read; their sessions are not checked again.
 */
export function pagesThatMatch(search: IdentityFilters): ReadPage<JsonObject> {
  const snapshot = snapshotSearch(search, Date.now());
  let found: IdentitySearchIds | undefined;
  return async (token, signal) => {
    found ??= await matchingIds(snapshot.params, signal);
    const { ids, index } = found;
    return { ...(await pageOf(ids, snapshot.fits, token, signal)), missing: missingFrom(index) };
  };
}

export const pagesOf =
  (ids: readonly string[]): ReadPage<JsonObject> =>
  (token, signal) =>
    pageOf(ids, () => true, token, signal);

/** @param token the number of ids before the page */
async function pageOf(
  ids: readonly string[],
  fits: (identity: unknown) => boolean,
  token: string | undefined,
  signal: AbortSignal,
): ReturnType<ReadPage<JsonObject>> {
  const start = Number(token ?? 0);
  const pageIds = ids.slice(start, start + IDS_AT_ONCE);
  const rows = (await readStoredByIds(pageIds, signal)).filter(fits);
  const end = start + pageIds.length;
  return { rows, leftOut: pageIds.length - rows.length, next: end < ids.length ? String(end) : undefined };
}

/** Writes lines that can be imported. Members are exported only as a whole: all traits or none. */
export const ndjsonWriter = (members: readonly string[]): RowWriter<JsonObject> => ({
  start: '',
  write: (identity) => `${JSON.stringify(membersPresent(identity, members))}\n`,
});

/** @param options.raw leaves cells unescaped that a spreadsheet program would run as formulas */
export const csvWriter = (columns: readonly ExportColumn[], options?: { raw: boolean }): RowWriter<JsonObject> => ({
  start: csvHeader(columns.map(({ name }) => name)),
  write: (identity) => csvLine(cellsOf(identity, columns), options),
});

function cellsOf(identity: JsonObject, columns: readonly ExportColumn[]): string[] {
  const { traits } = identity;
  const present = membersPresent(
    identity,
    columns.map(({ name }) => name),
  );
  let rest: unknown = traits;
  const cells = columns.map(({ name, steps, kinds }) => {
    if (steps === undefined) return name === 'traits' ? '' : cellOf(present[name]);
    const value = valueAt(traits, steps);
    const cell = cellOf(value);
    // An import would turn other values in a typed column into strings, or 1 into true in a boolean column.
    const isOther =
      (kinds?.has('text') && typeof value !== 'string') ||
      (kinds?.has('boolean') && typeof value !== 'boolean' && typeof valueIn(cell, 'boolean') === 'boolean');
    if (value === undefined || isOther) return '';
    rest = without(rest, steps);
    return cell;
  });
  // Every schema defines traits as an object; any other value goes to the column `traits` unchanged.
  const traitsAt = columns.findIndex(({ name }) => name === 'traits');
  if (traitsAt >= 0 && rest !== undefined && !(isObject(rest) && Object.keys(rest).length === 0))
    cells[traitsAt] = cellOf(rest);
  return cells;
}

/** Removes the member at a path, and parents that become empty. */
function without(value: unknown, [step = '', ...rest]: readonly string[]): JsonObject {
  const { [step]: member, ...others } = value as JsonObject;
  if (rest.length === 0) return others;
  const left = without(member, rest);
  return Object.keys(left).length === 0 ? others : { ...others, [step]: left };
}

/** Saves identities with all columns, then closes. The dialog stays open on failure. */
export function SaveRowsDialog({ ids, onClose }: { ids: readonly string[]; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['chosen identities', useId()],
    queryFn: async ({ signal }) => {
      const { schemas } = await queryClient.ensureQueryData(identitySchemasQuery);
      const exporting = startExport(csvWriter(exportColumns(schemas.map(({ schema }) => schema))), pagesOf(ids));
      await exporting.run(signal, () => {});
      return exporting;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  useEffect(() => {
    if (data === undefined) return;
    saveFile(fileName(`identities-${deployment}`, 'csv'), data.file());
    const deleted =
      data.progress().leftOut === 0
        ? ''
        : `; ${counted(data.progress().leftOut, 'no longer exists', 'no longer exist')}`;
    toast(`Saved ${counted(data.progress().rows, 'identity', 'identities')}${deleted}`);
    onClose();
  }, [data, onClose]);
  return (
    <Modal opened onClose={onClose} title={`Save ${counted(ids.length, 'identity', 'identities')} as CSV`}>
      {error === null ? (
        <RunProgress label="Reading" done={0} total={undefined} onCancel={onClose} />
      ) : (
        <FailurePanel title="Nothing was saved" error={error} onRetry={() => void refetch()} />
      )}
    </Modal>
  );
}

/** Saves identities before their deletion, in the format of the import. */
export const SAVE_IDENTITIES = saveFirst({
  about:
    'One line of JSON per person, which can be imported. It contains no passwords, second factors or other secrets: a person who is imported again gets a new ID and must set them up again.',
  subject: `identities-${deployment}`,
  writer: ndjsonWriter(PORTABLE_MEMBERS),
  pagesOf,
});
