import { revokeSession, revokeSessions } from '../../../api/identities-sessions.ts';
import type { BulkAct, BulkSubject } from '../../../resource/bulk/bulk-act.ts';
import { SESSIONS_STAY_ENDED } from '../../../ui/dialog/way-back.ts';
import { sessionsChanged } from '../session-changes.ts';
import { sessionName } from '../session-name.ts';
import { notExtended, TOKENS_STAY } from '../session-outcomes.ts';
import { extendSession, type ListedSession } from '../session-queries.ts';
import { SESSIONS } from '../session-resource.ts';
import { type AskedSessions, matching } from './session-matching.ts';

export const ACTS = {
  end: {
    label: 'End',
    title: 'End',
    running: 'Ending sessions',
    done: 'ended',
    consequences: [
      'The people are signed out on these devices and have to sign in again there.',
      TOKENS_STAY,
      SESSIONS_STAY_ENDED,
    ],
    final: false,
    grave: true,
    act: async ({ id }) => {
      await revokeSession(id);
      return undefined;
    },
  },
  endAll: {
    label: 'End all sessions of these people',
    title: 'End all sessions of the people behind',
    running: 'Ending sessions',
    done: 'signed out in every browser',
    consequences: [
      'These people are signed out in every browser, not only in the selected sessions, and have to sign in again.',
      'The identity service deletes these sessions, so they disappear from this list.',
      TOKENS_STAY,
      SESSIONS_STAY_ENDED,
    ],
    final: false,
    grave: true,
    act: async ({ identityId }) => {
      if (identityId === undefined) return 'The owner of this session is unknown.';
      await revokeSessions(identityId);
      return undefined;
    },
  },
  extend: {
    label: 'Extend',
    title: 'Extend',
    running: 'Extending sessions',
    done: 'extended',
    consequences: ['Each lasts longer, by the lifespan configured in the identity service.'],
    final: false,
    grave: false,
    act: async ({ id }) => notExtended(await extendSession(id)),
  },
} as const satisfies Record<string, BulkAct<ListedSession>>;

export const SUBJECT: BulkSubject<ListedSession, AskedSessions> = {
  name: SESSIONS,
  nameOf: sessionName,
  nameColumn: 'session',
  matching,
  invalidate: (queryClient, sessions) => void sessionsChanged(queryClient, sessions),
};
