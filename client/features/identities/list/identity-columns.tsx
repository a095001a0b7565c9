import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ListedIdentity } from '../../../../shared/identities.ts';
import { identifierOf, nameOf } from '../../../../shared/identity-name.ts';
import { displayName } from '../../../format/identity-name.ts';
import { type Columns, copyableId, UNKNOWN } from '../../../resource/list/column.tsx';
import { resourceRows } from '../../../resource/list/resource-rows.ts';
import type { ColumnChoice } from '../../../resource/list/use-column-choice.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { formatState } from '../format-state.ts';
import { type IdentityExtras, lastSignInsQuery, storedExtrasQuery } from './identity-extras.ts';

type Name = 'identifier' | 'name' | 'state' | 'schema' | 'external' | 'sign-in' | 'created' | 'updated' | 'id';

/** @param extras data that the list does not include; undefined until it has loaded */
const columnsWith = (extras: IdentityExtras): Columns<ListedIdentity, Name> => ({
  identifier: {
    label: 'Identifier',
    wide: '1.5fr',
    medium: '1.5fr',
    card: '1fr',
    cell: ({ traits }) => identifierOf(traits) ?? <em>no identifier</em>,
  },
  name: {
    label: 'Name',
    optional: 'from-start',
    wide: '1.1fr',
    medium: '1fr',
    card: { line: 2, under: 'identifier' },
    cell: ({ traits }) => nameOf(traits),
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
    cell: ({ id }) => extras.stored?.get(id)?.schemaId,
  },
  external: {
    label: 'External id',
    optional: 'on-demand',
    wide: '1fr',
    medium: 'hidden',
    card: 'hidden',
    cell: ({ id }) => extras.stored?.get(id)?.externalId,
  },
  'sign-in': {
    label: 'Last sign-in',
    optional: 'on-demand',
    wide: '8.5rem',
    medium: 'hidden',
    card: 'hidden',
    cell: ({ id }) => {
      const at = extras.signIns?.get(id);
      return at === undefined ? extras.signIns && UNKNOWN : RelativeTime({ at });
    },
  },
  created: {
    label: 'Created',
    optional: 'from-start',
    wide: '8.5rem',
    medium: 'hidden',
    card: 'hidden',
    cell: ({ created_at }) => RelativeTime({ at: created_at }),
  },
  updated: {
    label: 'Updated',
    optional: 'from-start',
    wide: '8.5rem',
    medium: '8.5rem',
    card: { line: 3, under: 'identifier' },
    onCard: 'updated ',
    cell: ({ updated_at }) => RelativeTime({ at: updated_at }),
  },
  id: {
    label: 'Id',
    optional: 'from-start',
    wide: '1.3fr',
    medium: 'hidden',
    card: 'hidden',
    onCard: '',
    cell: (identity, tabIndex) => copyableId(identity.id, displayName(identity), tabIndex),
  },
});

export const IDENTITY_COLUMNS = columnsWith({ stored: undefined, signIns: undefined });

const NOBODY: readonly ListedIdentity[] = [];

/** The rows with the operator's choice of columns. Data that the list does not include is requested only if shown. */
export function useIdentityRows({ shown, has }: ColumnChoice, page: readonly ListedIdentity[] = NOBODY) {
  const ids = page.map(({ id }) => id);
  const { data: stored } = useQuery({
    ...storedExtrasQuery(ids),
    enabled: ids.length > 0 && (has('schema') || has('external')),
  });
  const { data: signIns } = useQuery({ ...lastSignInsQuery, enabled: has('sign-in') });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `has` depends only on `shown`
  return useMemo(
    () =>
      resourceRows({
        nameOf: displayName,
        columns: columnsWith({ stored, signIns }),
        has: shown && has,
        rowSize: '2.5rem',
      }),
    [shown, stored, signIns],
  );
}
