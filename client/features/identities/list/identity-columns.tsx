import type { ListedIdentity } from '../../../../shared/identities.ts';
import { copyableId, openingLink } from '../../../resource/list/column.tsx';
import type { ResourceRows } from '../../../resource/list/resource-table.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { calledAs, identifierOf, nameOf } from '../../../wording/identity-name.ts';
import { stateInWords } from '../state-in-words.ts';
import classes from './identity-columns.module.css';

/** The columns by their names; where each stands is in the style sheet, by the same names. */
export const IDENTITY_ROWS: ResourceRows<ListedIdentity> = {
  nameOf: calledAs,
  className: classes.columns,
  columns: [
    {
      name: 'identifier',
      label: 'Identifier',
      className: classes.identifier,
      cell: (identity, tabIndex) =>
        openingLink({
          id: identity.id,
          href: `/identities/${identity.id}`,
          title: calledAs(identity),
          tabIndex,
          children: identifierOf(identity.traits) ?? <em>no identifier</em>,
        }),
    },
    { name: 'name', label: 'Name', className: classes.name, cell: ({ traits }) => nameOf(traits) },
    {
      name: 'state',
      label: 'State',
      className: classes.state,
      cell: ({ state }) => StatusDot({ status: state === 'active' ? 'good' : 'off', children: stateInWords(state) }),
    },
    {
      name: 'created',
      label: 'Created',
      className: classes.created,
      cell: ({ created_at }) => RelativeTime({ at: created_at }),
    },
    {
      name: 'updated',
      label: 'Updated',
      className: classes.updated,
      cell: ({ updated_at }) => RelativeTime({ at: updated_at }),
    },
    {
      name: 'id',
      label: 'Id',
      className: classes.id,
      cell: (identity, tabIndex) => copyableId({ id: identity.id, rowName: calledAs(identity), tabIndex }),
    },
  ],
};
