import { isObject } from '../../../../shared/json.ts';
import type { LocatedSession, LocatedSessions } from '../../../../shared/locations.ts';
import { type CursorPage, refusedToken } from '../../../api/cursor-page.ts';
import { inPieces } from '../../../api/places.ts';
import { request } from '../../../api/request.ts';
import { identityAdmin } from '../../../api/upstream-api.ts';
import { personOf } from '../../../format/identity-name.ts';
import { sessionState } from '../../../format/session-state.ts';
import type { ListedSession } from '../session-queries.ts';
import { type SessionPageParams, sessionQuestion } from '../session-question.ts';

/** A page of the sessions that match, found by the index. With `q` it leaves an audit record. */
export async function foundSessions(
  { pageSize, token, ...search }: SessionPageParams,
  signal: AbortSignal,
): Promise<CursorPage<ListedSession>> {
  const question = sessionQuestion(search);
  question.set('page_size', String(pageSize));
  if (token !== undefined) question.set('page_token', token);
  const answer = await request<LocatedSessions>(`/api/security/sessions?${question}`, { signal }).catch((error) => {
    throw token === undefined ? error : refusedToken(error);
  });
  const people = await peopleOf(answer.sessions, signal);
  return {
    rows: answer.sessions.map((session) => listed(session, people)),
    next: answer.next_page_token ?? undefined,
    matches: { total: answer.total, complete: !answer.truncated, asOf: answer.as_of },
  };
}

/** As many ids as fit into a URL on any server. */
const IDS_AT_ONCE = 100;

type Person = { traits?: unknown; schema_id?: unknown; state?: unknown };

/** Names of the people behind sessions, by identity id. Without a response their ids are shown. */
async function peopleOf(sessions: readonly LocatedSession[], signal: AbortSignal): Promise<Map<string, Person>> {
  const ids = [...new Set(sessions.flatMap(({ identity_id: id }) => id ?? []))];
  const found = await Promise.all(
    inPieces(ids, IDS_AT_ONCE).map((some) =>
      request<unknown>(identityAdmin(`/identities?${new URLSearchParams(some.map((id) => ['ids', id]))}`), { signal }),
    ),
  ).catch((error) => {
    if (signal.aborted) throw error;
    return [];
  });
  const identities = found.flatMap((some) => (Array.isArray(some) ? some : [])).filter(isObject);
  return new Map(identities.map((identity) => [String(identity.id), identity]));
}

function listed(session: LocatedSession, people: ReadonlyMap<string, Person>): ListedSession {
  const person = people.get(session.identity_id ?? '');
  return {
    id: session.id,
    identityId: session.identity_id ?? undefined,
    person: person && personOf(person),
    state: sessionState(session, person),
    authenticatedAt: session.authenticated_at ?? '',
    expiresAt: session.expires_at ?? '',
    userAgent: session.device,
    address: session.ip ?? undefined,
    place: session.place,
  };
}
