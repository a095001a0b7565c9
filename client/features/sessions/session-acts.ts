import { formatDevice } from '../../../shared/format-device.ts';
import { personEntry } from '../../../shared/identities.ts';
import type { SessionIds } from '../../../shared/locations.ts';
import { hasWords, isFoundBy, searchTerms } from '../../../shared/text.ts';
import { RequestError, request } from '../../api/request.ts';
import { revokeSession, revokeSessions } from '../../api/sessions.ts';
import type { BulkAct, BulkMatching, BulkSubject } from '../../list/bulk-run.ts';
import { SESSIONS_STAY_ENDED } from '../../ui/confirm-dialog.tsx';
import { notExtended, sessionsChanged, TOKENS_STAY } from './end-sessions.tsx';
import {
  extendSession,
  type ListedSession,
  listed,
  readSession,
  type SessionRecord,
  type SessionsSearch,
  sessionQuestion,
} from './session-queries.ts';
import { SESSIONS, sessionName } from './session-resource.ts';

/** A search of the list, and its filters in words: “active, Oslo, Norway”. */
export interface AskedSessions {
  search: SessionsSearch;
  words: string;
}

/** So many are named before the act. */
const NAMED = 5;

/** All sessions that match a search of the list: which are found by it, and which still match. */
export const matching = ({ search, words }: AskedSessions): BulkMatching<ListedSession> => ({
  words,
  promise: `Each is read again before its act. Whatever ${
    search.active === undefined ? '' : 'has ended or '
  }no longer matches is left out.`,
  checksChosen: false,
  async find(signal) {
    const { ids, truncated } = await request<SessionIds>(`/api/security/sessions/ids?${sessionQuestion(search)}`, {
      signal,
    });
    const named = await Promise.all(ids.slice(0, NAMED).map((id) => stored(id, signal)));
    return {
      items: ids.map((id, index) => asItem(id, named[index])),
      missing: truncated ? 'Not all sessions have been read: others that match are not among these.' : undefined,
    };
  },
  async check({ id }) {
    const session = await stored(id);
    const item = asItem(id, session);
    return { item, leftOut: session === undefined ? 'It no longer exists.' : whyNot(item, session, search) };
  },
});

/** Why a session is not acted on. The place that it was started from does not change. */
function whyNot(item: ListedSession, session: SessionRecord, search: SessionsSearch): string | undefined {
  const { q, device, active } = search;
  if (active !== undefined && item.state === 'ended') return 'It has ended.';
  const isOfPerson = q === undefined || isFoundBy(personEntry(session.identity)?.words ?? [], searchTerms(q));
  const isOnDevice = device === undefined || hasWords(formatDevice(item.userAgent), searchTerms(device));
  return isOfPerson && isOnDevice ? undefined : 'It no longer matches.';
}

const stored = (id: string, signal?: AbortSignal): Promise<SessionRecord | undefined> =>
  readSession(id, signal).catch((error: unknown) => {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  });

const asItem = (id: string, session: SessionRecord | undefined): ListedSession =>
  session === undefined ? unread(id) : listed(session);

const unread = (id: string): ListedSession => ({
  id,
  identityId: undefined,
  person: undefined,
  state: 'active',
  authenticatedAt: '',
  expiresAt: '',
  userAgent: null,
  address: undefined,
  place: undefined,
});

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
