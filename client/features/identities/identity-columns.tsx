import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type JsonObject, text } from '../../../shared/json.ts';
import type { CursorPage } from '../../api/cursor-page.ts';
import { IDENTITY_PAGES_KEY } from '../../api/identities.ts';
import { readStoredByIds } from '../../api/identity-batches.ts';
import { displayName, identifierOf, nameOf } from '../../lib/identity-name.ts';
import { ChangedSince, type Columns, CopyableId, Unknown } from '../../list/columns.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { Person } from '../../ui/person.tsx';
import type { IdentityRow } from './identity-resource.ts';
import { formatState } from './identity-resource.ts';

/** Members that the list does not return. Of these, the index returns only the schema. */
type StoredExtras = Pick<IdentityRow, 'schema_id' | 'external_id'>;

const storedExtrasQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, 'extras', ids],
    queryFn: async ({ signal }) => {
      const extrasOf = ({ schema_id, external_id }: JsonObject): StoredExtras => ({
        schema_id: String(schema_id),
        external_id: text(external_id),
      });
      return new Map((await readStoredByIds(ids, signal)).map((identity) => [identity.id, extrasOf(identity)]));
    },
    retry: false,
  });

export const IDENTITY_COLUMNS: Columns<IdentityRow> = {
  identifier: {
    label: 'Identity',
    width: 2,
    sort: 'identifier',
    cell: (identity) => {
      const person = <Person name={nameOf(identity)} identifier={identifierOf(identity)} id={identity.id} />;
      return identity.changed ? <ChangedSince>{person}</ChangedSince> : person;
    },
  },
  state: {
    label: 'State',
    width: 0.8,
    cell: ({ state }) => <StatusDot status={state === 'active' ? 'good' : 'off'}>{formatState(state)}</StatusDot>,
  },
  schema: {
    label: 'Schema',
    optional: 'hidden',
    width: 0.7,
    cell: ({ schema_id }) => schema_id,
  },
  external: {
    label: 'External ID',
    optional: 'hidden',
    cell: ({ external_id }) => external_id,
  },
  'sign-in': {
    label: 'Last sign-in',
    optional: 'shown',
    width: 0.9,
    atLeast: '8.5rem',
    sort: '-last_session',
    cell: ({ last_session_at: at }) => {
      if (at === undefined) return <Unknown>unknown</Unknown>;
      if (at !== null) return <RelativeTime at={at} />;
      return (
        <Unknown title="No known session. The identity service may have deleted earlier ones.">None known</Unknown>
      );
    },
  },
  created: {
    label: 'Created',
    optional: 'shown',
    width: 0.9,
    atLeast: '8.5rem',
    wideOnly: true,
    sort: '-created',
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
  updated: {
    label: 'Updated',
    optional: 'wide',
    width: 0.9,
    atLeast: '8.5rem',
    sort: '-updated',
    cell: ({ updated_at }) => <RelativeTime at={updated_at} />,
  },
  id: {
    label: 'ID',
    optional: 'wide',
    width: 1.5,
    cell: (identity, tabIndex) => <CopyableId id={identity.id} rowName={displayName(identity)} tabIndex={tabIndex} />,
  },
};

/** Loads members that the page lacks, if a visible column needs them. */
export function useStoredExtras(
  page: CursorPage<IdentityRow> | undefined,
  has: (column: string) => boolean,
): CursorPage<IdentityRow> | undefined {
  const ids = page?.rows.map(({ id }) => id) ?? [];
  const { data: stored } = useQuery({
    ...storedExtrasQuery(ids),
    enabled: ids.length > 0 && ((has('schema') && page?.matches === undefined) || has('external')),
  });
  return (
    useMemo(
      () => page && stored && { ...page, rows: page.rows.map((row) => ({ ...row, ...stored.get(row.id) })) },
      [page, stored],
    ) ?? page
  );
}
