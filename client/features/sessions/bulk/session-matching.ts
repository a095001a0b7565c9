import { formatDevice } from '../../../../shared/format-device.ts';
import { personEntry } from '../../../../shared/identities.ts';
import type { SessionIds } from '../../../../shared/locations.ts';
import { hasWords, isFoundBy, searchTerms } from '../../../../shared/text.ts';
import { request } from '../../../api/request.ts';
import { RequestError } from '../../../api/request-error.ts';
import type { BulkMatching } from '../../../resource/bulk/bulk-act.ts';
import { type ListedSession, listed, readSession, type SessionRecord } from '../session-queries.ts';
import { type SessionsSearch, sessionQuestion } from '../session-question.ts';

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
