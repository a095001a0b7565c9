import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isObject } from '../../../shared/json.ts';
import type { CursorPage } from '../../api/cursor-page.ts';
import { IDENTITY_PAGES_KEY } from '../../api/identities.ts';
import { identityAdmin, request } from '../../api/request.ts';
import { displayName, identifierOf, nameOf } from '../../lib/identity-name.ts';
import { type ColumnChoice, type Columns, changedSince, copyableId, NONE_KNOWN, UNKNOWN } from '../../list/columns.tsx';
import { resourceRows } from '../../list/rows.ts';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import type { IdentityRow } from './identity-query.ts';
import { formatState } from './identity-resource.ts';

/** What the lists leave out. */
export interface StoredExtras {
  schemaId: string;
  externalId: string | undefined;
}

/**
 * The identity service repeats the ids in both directions of its `Link` header: more ids exceed clients' header
 * limits.
 */
const IDS_AT_ONCE = 100;

export const storedExtrasQuery = (ids: readonly string[]) =>
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
          found.set(String(id), {
            schemaId: String(schema_id),
            externalId: typeof external_id === 'string' && external_id !== '' ? external_id : undefined,
          });
      }
      return found;
    },
    retry: false,
  });

const objectsIn = (body: unknown): Record<string, unknown>[] => (Array.isArray(body) ? body.filter(isObject) : []);

type Name = 'identifier' | 'name' | 'state' | 'schema' | 'external' | 'sign-in' | 'created' | 'updated' | 'id';

/** @param stored what neither list nor index has; undefined until it has loaded */
const columnsWith = (stored: ReadonlyMap<string, StoredExtras> | undefined): Columns<IdentityRow, Name> => ({
  identifier: {
    label: 'Identifier',
    wide: '1.5fr',
    medium: '1.5fr',
    card: '1fr',
    sort: 'identifier',
    cell: (identity) => {
      const identifier = identifierOf(identity) ?? <em>no identifier</em>;
      return identity.changed ? changedSince(identifier) : identifier;
    },
  },
  name: {
    label: 'Name',
    optional: 'from-start',
    wide: '1.1fr',
    medium: '1fr',
    card: { line: 2, under: 'identifier' },
    cell: nameOf,
  },
  state: {
    label: 'State',
    wide: '6.5rem',
    medium: '6.5rem',
    card: '6.25rem',
    cell: ({ state }) => StatusDot({ status: state === 'active' ? 'good' : 'off', children: formatState(state) }),
  },
  schema: {
    label: 'Schema',
    optional: 'on-demand',
    wide: 'minmax(6rem, 0.7fr)',
    medium: 'hidden',
    card: 'hidden',
    cell: ({ id, schema_id }) => schema_id ?? stored?.get(id)?.schemaId,
  },
  external: {
    label: 'External id',
    optional: 'on-demand',
    wide: '1fr',
    medium: 'hidden',
    card: 'hidden',
    cell: ({ id }) => stored?.get(id)?.externalId,
  },
  'sign-in': {
    label: 'Last sign-in',
    optional: 'from-start',
    wide: '8.5rem',
    medium: '8.5rem',
    card: { line: 3, under: 'identifier' },
    onCard: 'last sign-in ',
    sort: '-last_session',
    cell: ({ last_session_at: at }) => {
      if (at === undefined) return UNKNOWN;
      return at === null ? NONE_KNOWN : RelativeTime({ at });
    },
  },
  created: {
    label: 'Created',
    optional: 'from-start',
    wide: '8.5rem',
    medium: 'hidden',
    card: 'hidden',
    sort: '-created',
    cell: ({ created_at }) => RelativeTime({ at: created_at }),
  },
  updated: {
    label: 'Updated',
    optional: 'on-demand',
    wide: '8.5rem',
    medium: 'hidden',
    card: 'hidden',
    sort: '-updated',
    cell: ({ updated_at }) => RelativeTime({ at: updated_at }),
  },
  id: {
    label: 'Id',
    optional: 'on-demand',
    wide: '1.3fr',
    medium: 'hidden',
    card: 'hidden',
    onCard: '',
    cell: (identity, tabIndex) => copyableId(identity.id, displayName(identity), tabIndex),
  },
});

export const IDENTITY_COLUMNS = columnsWith(undefined);

const NO_PAGE: CursorPage<IdentityRow> = { rows: [], next: undefined };

/** The rows with the operator's choice of columns. What neither list nor index has is requested only if shown. */
export function useIdentityRows({ shown, has }: ColumnChoice, { rows, matches } = NO_PAGE) {
  const ids = rows.map(({ id }) => id);
  const { data: stored } = useQuery({
    ...storedExtrasQuery(ids),
    enabled: ids.length > 0 && ((has('schema') && matches === undefined) || has('external')),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `has` depends only on `shown`
  return useMemo(
    () =>
      resourceRows({
        nameOf: displayName,
        columns: columnsWith(stored),
        has: shown && has,
        rowSize: has('id') ? '2.5rem' : '2.26875rem',
      }),
    [shown, stored],
  );
}
