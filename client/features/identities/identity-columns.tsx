import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isObject, text } from '../../../shared/json.ts';
import type { CursorPage } from '../../api/cursor-page.ts';
import { IDENTITY_PAGES_KEY } from '../../api/identities.ts';
import { identityAdmin, request } from '../../api/request.ts';
import { displayName, identifierOf, nameOf } from '../../lib/identity-name.ts';
import { type Columns, changedSince, copyableId, NONE_KNOWN, UNKNOWN } from '../../list/columns.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import type { IdentityRow } from './identity-query.ts';
import { formatState } from './identity-resource.ts';

/** What the lists leave out. */
type StoredExtras = Pick<IdentityRow, 'schema_id' | 'external_id'>;

/**
 * The identity service repeats the ids in both directions of its `Link` header: more ids exceed clients' header
 * limits.
 */
const IDS_AT_ONCE = 100;

const storedExtrasQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, 'extras', ids],
    queryFn: async ({ signal }) => {
      const found = new Map<string, StoredExtras>();
      for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
        const query = new URLSearchParams({ page_size: '500' });
        for (const id of ids.slice(start, start + IDS_AT_ONCE)) query.append('ids', id);
        for (const { id, schema_id, external_id } of objectsIn(
          await request(identityAdmin(`/identities?${query}`), { signal }),
        ))
          found.set(String(id), { schema_id: String(schema_id), external_id: text(external_id) });
      }
      return found;
    },
    retry: false,
  });

const objectsIn = (body: unknown): Record<string, unknown>[] => (Array.isArray(body) ? body.filter(isObject) : []);

export const IDENTITY_COLUMNS: Columns<IdentityRow> = {
  identifier: {
    label: 'Identifier',
    width: 1.5,
    sort: 'identifier',
    cell: (identity) => {
      const identifier = identifierOf(identity) ?? <em>no identifier</em>;
      return identity.changed ? changedSince(identifier) : identifier;
    },
  },
  name: {
    label: 'Name',
    optional: 'shown',
    width: 1.1,
    cell: nameOf,
  },
  state: {
    label: 'State',
    width: '6.5rem',
    cell: ({ state }) => StatusDot({ status: state === 'active' ? 'good' : 'off', children: formatState(state) }),
  },
  schema: {
    label: 'Schema',
    optional: 'hidden',
    width: 0.7,
    cell: ({ schema_id }) => schema_id,
  },
  external: {
    label: 'External id',
    optional: 'hidden',
    cell: ({ external_id }) => external_id,
  },
  'sign-in': {
    label: 'Last sign-in',
    optional: 'shown',
    width: '8.5rem',
    sort: '-last_session',
    cell: ({ last_session_at: at }) => {
      if (at === undefined) return UNKNOWN;
      return at === null ? NONE_KNOWN : RelativeTime({ at });
    },
  },
  created: {
    label: 'Created',
    optional: 'shown',
    width: '8.5rem',
    wideOnly: true,
    sort: '-created',
    cell: ({ created_at }) => RelativeTime({ at: created_at }),
  },
  updated: {
    label: 'Updated',
    optional: 'hidden',
    width: '8.5rem',
    sort: '-updated',
    cell: ({ updated_at }) => RelativeTime({ at: updated_at }),
  },
  id: {
    label: 'Id',
    optional: 'hidden',
    width: 1.3,
    cell: (identity, tabIndex) => copyableId(identity.id, displayName(identity), tabIndex),
  },
};

/** Adds what neither list nor index has, if a column shows it. */
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
