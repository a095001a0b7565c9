import { formatDevice } from '../../../shared/format-device.ts';
import { identityIdIn } from '../../lib/identity-name.ts';
import { defineResource } from '../../list/resource.ts';
import { IconDevices } from '../../ui/shell-icons.tsx';
import { type ListedSession, parseSessionsSearch, sessionPageQuery, sessionRecordQuery } from './session-queries.ts';

export const SESSIONS = defineResource({
  to: '/sessions',
  one: 'session',
  many: 'sessions',
  title: 'Session',
  label: 'Sessions',
  about: 'Who is signed in, on which device and where. End or extend sessions.',
  icon: IconDevices,
  letter: 'e',
  needs: ['sessions.read'],
  search: parseSessionsSearch,
  preload: {
    list: (params) => [sessionPageQuery(params)],
    record: (id) => (identityIdIn(id) === undefined ? undefined : sessionRecordQuery(id)),
  },
});

/** A session by person and device: `Ada Lovelace · Chrome on macOS`. */
export const sessionName = ({ id, identityId, name, identifier, userAgent }: ListedSession): string =>
  `${name ?? identifier ?? identityId ?? id} · ${formatDevice(userAgent)}`;
