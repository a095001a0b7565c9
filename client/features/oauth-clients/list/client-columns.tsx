import type { ListedClient } from '../../../api/oauth-clients.ts';
import { idInPath } from '../../../lib/id-in-path.ts';
import { copyableId, openingLink } from '../../../resource/list/column.tsx';
import type { ResourceRows } from '../../../resource/list/resource-table.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { formatAuthMethod, formatGrant } from '../client-words.ts';
import classes from './client-columns.module.css';

const calledAs = ({ id, name }: ListedClient): string => name || id;

/** The columns by their names; where each stands is in the style sheet, by the same names. */
export const CLIENT_ROWS: ResourceRows<ListedClient> = {
  nameOf: calledAs,
  className: classes.columns,
  columns: [
    {
      name: 'name',
      label: 'Name',
      className: classes.name,
      cell: (client, tabIndex) =>
        openingLink({
          id: client.id,
          href: `/oauth/clients/${idInPath(client.id)}`,
          title: calledAs(client),
          tabIndex,
          children: client.name || <em>{client.id}</em>,
        }),
    },
    { name: 'owner', label: 'Owner', className: classes.owner, cell: ({ owner }) => owner },
    {
      name: 'grants',
      label: 'Grants',
      className: classes.grants,
      cell: ({ grants }) => grants.map(formatGrant).join(', ') || <em>none set</em>,
    },
    {
      name: 'authentication',
      label: 'Authentication',
      className: classes.authentication,
      cell: ({ authMethod }) => formatAuthMethod(authMethod),
    },
    {
      name: 'created',
      label: 'Created',
      className: classes.created,
      cell: ({ created }) => RelativeTime({ at: created }),
    },
    {
      name: 'id',
      label: 'Client id',
      className: classes.id,
      cell: (client, tabIndex) => copyableId({ id: client.id, rowName: calledAs(client), tabIndex }),
    },
  ],
};
