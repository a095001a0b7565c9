import type { ListedSession } from '../../../api/sessions.ts';
import { formatDevice } from '../../../format/device.ts';
import { formatPlace } from '../../../format/place.ts';
import { SESSION_STATES } from '../../../format/session-state-label.ts';
import { openingLink } from '../../../resource/list/column.tsx';
import type { ResourceRows } from '../../../resource/list/resource-table.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { calledAs } from '../session-name.ts';
import classes from './session-columns.module.css';

/** The columns by their names; where each stands is in the style sheet, by the same names. */
export const SESSION_ROWS: ResourceRows<ListedSession> = {
  nameOf: calledAs,
  className: classes.columns,
  columns: [
    {
      name: 'person',
      label: 'Person',
      className: classes.person,
      cell: (session, tabIndex) =>
        openingLink({
          id: session.id,
          href: `/sessions/${encodeURIComponent(session.id)}`,
          title: calledAs(session),
          tabIndex,
          children: session.person ?? <em>{session.identityId ?? 'not known'}</em>,
        }),
    },
    {
      name: 'device',
      label: 'Device',
      className: classes.device,
      cell: ({ userAgent }) => <span title={userAgent ?? undefined}>{formatDevice(userAgent)}</span>,
    },
    {
      name: 'place',
      label: 'Place',
      className: classes.place,
      cell: ({ place, address }) => <span title={address}>{formatPlace(place, address)}</span>,
    },
    {
      name: 'since',
      label: 'Signed in',
      className: classes.since,
      cell: ({ authenticatedAt }) => RelativeTime({ at: authenticatedAt }),
    },
    {
      name: 'state',
      label: 'State',
      className: classes.state,
      cell: ({ state }) => StatusDot({ status: SESSION_STATES[state].dot, children: SESSION_STATES[state].word }),
    },
  ],
};
