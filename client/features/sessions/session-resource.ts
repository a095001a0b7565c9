import { identityIdIn } from '../../format/identity-id.ts';
import { defineResource } from '../../resource/define-resource.ts';
import { IconDevices } from '../../ui/icons.ts';
import { sessionPageQuery } from './list/session-page-query.ts';
import { sessionRecordQuery } from './session-queries.ts';
import { parseSessionsSearch } from './session-question.ts';

export const SESSIONS = defineResource({
  to: '/sessions',
  one: 'session',
  many: 'sessions',
  title: 'Session',
  label: 'Sessions',
  about: 'Who is signed in, on which device and where. End or extend sessions.',
  icon: IconDevices,
  letter: 'e',
  needs: ['upstreams.read'],
  search: parseSessionsSearch,
  preload: {
    list: (params) => [sessionPageQuery(params)],
    record: (id) => (identityIdIn(id) === undefined ? undefined : sessionRecordQuery(id)),
  },
});
