import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CursorPage } from '../../../api/cursor-page.ts';
import { displayName, identifierOf, nameOf } from '../../../format/identity-name.ts';
import { type Columns, changedSince, copyableId, NONE_KNOWN, UNKNOWN } from '../../../resource/list/column.tsx';
import { resourceRows } from '../../../resource/list/resource-rows.ts';
import type { ColumnChoice } from '../../../resource/list/use-column-choice.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { formatState } from '../format-state.ts';
import type { IdentityRow } from './found-page-query.ts';
import { type StoredExtras, storedExtrasQuery } from './identity-extras.ts';

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
