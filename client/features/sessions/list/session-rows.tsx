import { formatDevice } from '../../../../shared/format-device.ts';
import { formatPlace } from '../../../format/place.ts';
import { SESSION_STATES } from '../../../format/session-state-label.ts';
import { resourceRows } from '../../../resource/list/resource-rows.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { sessionName } from '../session-name.ts';
import classes from './sessions-page.module.css';

/** The map takes some of the width, so the layout depends on the width of the list, not of the window. */
export const SESSION_ROWS = resourceRows({
  nameOf: sessionName,
  inContainer: true,
  columns: {
    person: {
      label: 'Person',
      wide: '1.5fr',
      medium: '1.6fr',
      card: '1fr',
      cell: ({ person, identityId }) => person ?? <em>{identityId ?? 'unknown'}</em>,
    },
    device: {
      label: 'Device',
      wide: '1.1fr',
      medium: { line: 2, under: 'person' },
      card: { line: 2, under: 'person' },
      cell: ({ userAgent }) => <span title={userAgent ?? undefined}>{formatDevice(userAgent)}</span>,
    },
    place: {
      label: 'Place',
      wide: '1fr',
      medium: '1fr',
      card: { line: 3, under: 'person' },
      cell: ({ place, address }) => <span title={address}>{formatPlace(place, address)}</span>,
    },
    since: {
      label: 'Signed in',
      wide: '7.5rem',
      medium: { line: 2, under: 'place' },
      card: { line: 3, under: 'state' },
      cell: ({ authenticatedAt }) => RelativeTime({ at: authenticatedAt }),
    },
    state: {
      label: 'State',
      wide: '9.5rem',
      medium: '7rem',
      card: '7.75rem',
      cell: ({ state }) => (
        <div className={classes.state}>
          {StatusDot({ status: SESSION_STATES[state].dot, children: SESSION_STATES[state].label })}
        </div>
      ),
    },
  },
});
