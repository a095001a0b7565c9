import { formatDevice } from '../../../shared/format-device.ts';
import { identityEntry } from '../../../shared/identity-entry.ts';
import type { SessionIds } from '../../../shared/locations.ts';
import { hasWords, isFoundBy, searchesFor, searchTerms } from '../../../shared/text.ts';
import { request, unlessGone } from '../../api/request.ts';
import { type IdentitySession, revokeSession, revokeSessions } from '../../api/sessions.ts';
import type { BulkAct, BulkMatching, BulkSubject } from '../../list/bulk-run.ts';
import { SESSIONS_STAY_ENDED, TOKENS_STAY } from '../../ui/confirm-dialog.tsx';
import { extendSession, sessionsChanged } from './session-dialogs.tsx';
import { type ListedSession, readSession, rowOf, type SessionsSearch, sessionParams } from './session-queries.ts';
import { SESSIONS, sessionName } from './session-resource.ts';

/** A search of the list, and its filters in words: "active, Oslo, Norway". */
export interface SessionMatches {
  search: SessionsSearch;
  words: string;
}

const NAMED = 5;

const matching = ({ search, words }: SessionMatches): BulkMatching<ListedSession> => ({
  words,
  promise: `Each session is checked again first. Those that ${
    search.active === 'true' ? 'have ended or ' : ''
  }no longer match are left out.`,
  checksChosen: false,
  async find(signal) {
    const { ids, truncated } = await request<SessionIds>(`/api/security/sessions/ids?${sessionParams(search)}`, {
      signal,
    });
    const named = await Promise.all(ids.slice(0, NAMED).map((id) => readSession(id, signal).catch(unlessGone)));
    return {
      items: ids.map((id, index) => asItem(id, named[index])),
      missing: truncated ? 'Not all sessions are indexed: others may match too.' : undefined,
    };
  },
  async check({ id }) {
    const session = await readSession(id).catch(unlessGone);
    const item = asItem(id, session);
    return { item, leftOut: session === undefined ? 'It no longer exists.' : reasonToSkip(item, session, search) };
  },
});

/** Why a session is left out. The identity service knows no locations, and addresses stay. */
function reasonToSkip(item: ListedSession, session: IdentitySession, search: SessionsSearch): string | undefined {
  const { q, device, active } = search;
  if (active === 'true' && item.state === 'ended') return 'It has ended.';
  const isOfState = active !== 'false' || item.state !== 'active';
  const ownWords = identityEntry(session.identity)?.words ?? [];
  const isOfIdentity = searchesFor(q).some(({ words }) => words === undefined || isFoundBy(ownWords, words));
  const isOnDevice = device === undefined || hasWords(formatDevice(item.userAgent), searchTerms(device));
  return isOfState && isOfIdentity && isOnDevice ? undefined : 'It no longer matches.';
}

const asItem = (id: string, session: IdentitySession | undefined): ListedSession =>
  session === undefined ? { ...rowOf({ id } as IdentitySession), state: 'active' } : rowOf(session);

export const ACTS = {
  end: {
    title: 'End',
    running: 'Ending sessions',
    done: 'ended',
    consequence: 'The people are signed out on these devices and have to sign in again there.',
    details: [TOKENS_STAY, SESSIONS_STAY_ENDED],
    grave: true,
    act: ({ id }, reason) => revokeSession(id, reason).then(() => undefined),
  },
  endAll: {
    title: 'End all sessions of the owners of',
    button: 'End all sessions',
    running: 'Ending all sessions of the owners',
    done: 'signed out in every browser',
    past: 'Ended all sessions of the owners of',
    consequence:
      'The owners are signed out in every browser, not only of the selected sessions, and have to sign in again.',
    details: [
      'The identity service deletes these sessions, so they disappear from this list.',
      TOKENS_STAY,
      SESSIONS_STAY_ENDED,
    ],
    grave: true,
    act: async ({ identityId }, reason) => {
      if (identityId === undefined) return 'The owner of this session is unknown.';
      return revokeSessions(identityId, reason).then(() => undefined);
    },
  },
  extend: {
    title: 'Extend',
    running: 'Extending sessions',
    done: 'extended',
    consequence: 'Each session then lasts the lifespan configured in the identity service, counted from now.',
    details: [],
    withoutReason: true,
    act: ({ id }) => extendSession(id),
  },
} as const satisfies Record<string, BulkAct<ListedSession>>;

export const SUBJECT: BulkSubject<ListedSession, SessionMatches> = {
  name: SESSIONS,
  nameOf: sessionName,
  nameColumn: 'session',
  matching,
  invalidate: (queryClient, sessions) => void sessionsChanged(queryClient, sessions),
};
