import type { ListedIdentity } from '../../../../shared/identities.ts';
import { identifierOf, nameOf } from '../../../../shared/identity-name.ts';
import type { IdentityExtras } from '../../../api/identities-extras.ts';
import { calledAs } from '../../../format/identity-name.ts';
import { type Column, copyableId, openingLink } from '../../../resource/list/column.tsx';
import type { ResourceRows } from '../../../resource/list/resource-table.tsx';
import { type ColumnChoice, gridOf } from '../../../resource/list/use-column-choice.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { formatState } from '../format-state.ts';
import classes from './identity-columns.module.css';

const UNKNOWN = <span className={classes.unknown}>not known</span>;

/**
 * The columns by their names; where each stands is in the style sheet, by the same names.
 * @param extras what the page of the list does not carry; undefined as long as it is not there
 */
const columnsWith = (extras: IdentityExtras): readonly Column<ListedIdentity>[] => [
  {
    name: 'identifier',
    label: 'Identifier',
    className: classes.identifier,
    width: 'minmax(0, 1.5fr)',
    cell: (identity, tabIndex) =>
      openingLink({
        id: identity.id,
        href: `/identities/${identity.id}`,
        title: calledAs(identity),
        tabIndex,
        children: identifierOf(identity.traits) ?? <em>no identifier</em>,
      }),
  },
  {
    name: 'name',
    label: 'Name',
    className: classes.name,
    optional: 'from-start',
    width: 'minmax(0, 1.1fr)',
    cell: ({ traits }) => nameOf(traits),
  },
  {
    name: 'state',
    label: 'State',
    className: classes.state,
    width: '6.5rem',
    cell: ({ state }) => StatusDot({ status: state === 'active' ? 'good' : 'off', children: formatState(state) }),
  },
  {
    name: 'schema',
    label: 'Schema',
    className: classes.schema,
    optional: 'on-demand',
    width: 'minmax(6rem, 0.7fr)',
    cell: ({ id }) => extras.stored?.get(id)?.schemaId,
  },
  {
    name: 'external',
    label: 'External id',
    className: classes.external,
    optional: 'on-demand',
    cell: ({ id }) => extras.stored?.get(id)?.externalId,
  },
  {
    name: 'sign-in',
    label: 'Last sign-in',
    className: classes.signIn,
    optional: 'on-demand',
    width: '8.5rem',
    cell: ({ id }) => {
      const at = extras.signIns?.get(id);
      return at === undefined ? extras.signIns && UNKNOWN : RelativeTime({ at });
    },
  },
  {
    name: 'created',
    label: 'Created',
    className: classes.created,
    optional: 'from-start',
    width: '8.5rem',
    cell: ({ created_at }) => RelativeTime({ at: created_at }),
  },
  {
    name: 'updated',
    label: 'Updated',
    className: classes.updated,
    optional: 'from-start',
    width: '8.5rem',
    cell: ({ updated_at }) => RelativeTime({ at: updated_at }),
  },
  {
    name: 'id',
    label: 'Id',
    className: classes.id,
    optional: 'from-start',
    width: 'minmax(0, 1.3fr)',
    cell: (identity, tabIndex) => copyableId({ id: identity.id, rowName: calledAs(identity), tabIndex }),
  },
];

export const IDENTITY_COLUMNS = columnsWith({ stored: undefined, signIns: undefined });

export function identityRows(
  choice: Pick<ColumnChoice, 'shown' | 'has'>,
  extras: IdentityExtras,
): ResourceRows<ListedIdentity> {
  const columns = columnsWith(extras).filter(({ name }) => choice.has(name));
  return {
    nameOf: calledAs,
    className: classes.columns,
    columns,
    grid: choice.shown && gridOf(columns),
  };
}
