import { queryOptions } from '@tanstack/react-query';
import { isObject, type JsonObject, text } from '../../../shared/json.ts';
import type { LocatedSession, LocatedSessions } from '../../../shared/locations.ts';
import { type CursorPage, readUpstreamPage, refusedToken } from '../../api/cursor-page.ts';
import { withMarks } from '../../api/identities.ts';
import { identityAdmin, request, send, unreadableResponse, withQuery } from '../../api/request.ts';
import { chunksOf, type IdentitySession, markEnded } from '../../api/sessions.ts';
import { personOf } from '../../lib/identity-name.ts';
import { addressIn, addressWithoutPort, type SessionState, sessionState } from '../../lib/session-labels.ts';
import { searchText } from '../../lib/visible-text.ts';
import { type PagedSearch, type ParamsOf, pagedSearch } from '../../list/cursor-list.ts';

/** A session with its identity. */
export type SessionRecord = IdentitySession;

/** A row of the list of sessions. Times are ISO 8601, empty when unknown. */
export interface ListedSession {
  id: string;
  identityId: string | undefined;
  /** A login identifier, else a name; undefined when neither is known. */
  person: string | undefined;
  state: SessionState;
  authenticatedAt: string;
  expiresAt: string;
  userAgent: string | null;
  /** As reported by the identity service, without a port. */
  address: string | undefined;
  /** Null when the address has no known place, undefined until it has loaded. */
  place: string | null | undefined;
}

/** Key prefix of every page of the list, for invalidation after a write. */
export const SESSION_PAGES_KEY = ['sessions', 'page'] as const;

const EXPANDED = 'expand=identity&expand=devices';
export const sessionPath = (id: string): string => identityAdmin(`/sessions/${encodeURIComponent(id)}`);

/**
 * A page of the identity service's own list, newest first.
 * @param page.token cursor from the previous page; undefined for the first page
 */
export async function listedSessions(
  { pageSize, active, token }: { pageSize: number; active: boolean; token: string | undefined },
  signal: AbortSignal,
): Promise<CursorPage<ListedSession>> {
  const path = identityAdmin('/sessions');
  const parameters = { page_size: pageSize, active: active ? 'true' : undefined, page_token: token };
  const { rows, next } = await readUpstreamPage<SessionRecord & JsonObject>(
    `${path}?${EXPANDED}`,
    parameters,
    isSession,
    ['identity service', 'a list of sessions'],
    signal,
  );
  const marked = active ? rows : await markEnded(rows, withQuery(path, parameters), signal);
  return { rows: marked.map(listed), next };
}

/** Reads the stored version, bypassing the cache. */
export async function readSession(id: string, signal?: AbortSignal): Promise<SessionRecord> {
  const session = await request<unknown>(`${sessionPath(id)}?${EXPANDED}`, { signal });
  if (!isSession(session)) throw unreadableResponse('identity service', 'a session');
  const [told = session] = await markEnded([session], sessionPath(id), signal);
  return told;
}

export const sessionRecordQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity-session', id],
    queryFn: ({ client, signal }) => withMarks(client, readSession(id, signal)),
    retry: false,
  });

/** A session's expiry before and after extending it; `after` is undefined when it is not active. */
export interface Extension {
  before: string;
  after: string | undefined;
}

/** The identity service also reports success when it is too early to extend: only the two times tell. */
export async function extendSession(id: string): Promise<Extension> {
  const { active, expires_at: before } = await readSession(id);
  if (!active) return { before, after: undefined };
  await send(`${sessionPath(id)}/extend`, { method: 'PATCH' });
  return { before, after: (await readSession(id)).expires_at };
}

const isSession = (session: unknown): session is SessionRecord => isObject(session) && typeof session.id === 'string';

export function listed(session: SessionRecord): ListedSession {
  const { id, authenticated_at, expires_at, devices, identity } = session;
  // A session has one device per sign-in; use any that has an address.
  const device = devices?.find(({ ip_address: ip }) => addressWithoutPort(ip) !== undefined) ?? devices?.[0];
  return {
    id,
    identityId: identity?.id,
    person: identity ? personOf(identity) : undefined,
    state: sessionState(session, identity),
    authenticatedAt: text(authenticated_at),
    expiresAt: text(expires_at),
    userAgent: device?.user_agent ?? null,
    address: addressIn(device?.ip_address),
    place: undefined,
  };
}

/** A page of all sessions or all active ones, else of those that match. */
export const sessionPageQuery = (params: SessionPageParams) =>
  queryOptions({
    queryKey: [...SESSION_PAGES_KEY, params],
    async queryFn({ client, signal }) {
      await withMarks(client, Promise.resolve());
      const { active, pageSize, token } = params;
      if (!needsIndex(params)) return listedSessions({ active: active === 'true', pageSize, token }, signal);
      return foundSessions(params, signal);
    },
    retry: false,
  });

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
    rows: answer.sessions.map((session) => listedWithPerson(session, people)),
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
    chunksOf(ids, IDS_AT_ONCE).map((some) =>
      request<unknown>(identityAdmin(`/identities?${new URLSearchParams(some.map((id) => ['ids', id]))}`), { signal }),
    ),
  ).catch((error) => {
    if (signal.aborted) throw error;
    return [];
  });
  const identities = found.flatMap((some) => (Array.isArray(some) ? some : [])).filter(isObject);
  return new Map(identities.map((identity) => [String(identity.id), identity]));
}

function listedWithPerson(session: LocatedSession, people: ReadonlyMap<string, Person>): ListedSession {
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

/** Search parameters of the list. */
export interface SessionsSearch extends PagedSearch {
  /** Any part of a text of the person's. */
  q?: string;
  /** Any part of the device in words: “Chrome on macOS”. */
  device?: string;
  /** Only sessions that are neither ended nor expired. */
  active?: 'true';
  /** A place on the map; both or neither. */
  lat?: string;
  lng?: string;
  /** Sessions without a known place; not with `lat` and `lng`. */
  unknown?: 'true';
}

/** Parameters of a page of the list. */
export type SessionPageParams = ParamsOf<SessionsSearch>;

/** A place on the map, or all sessions without a known place. */
export type PlaceFilter = { lat: number; lng: number } | 'unknown';

/** Parses the parameters of an address; what has no meaning is left out. */
export function parseSessionsSearch(search: Record<string, unknown>): SessionsSearch {
  const [q, device] = [searchText(search.q), searchText(search.device)];
  return {
    ...(q === undefined ? {} : { q }),
    ...(device === undefined ? {} : { device }),
    ...(search.active === 'true' ? { active: 'true' } : {}),
    ...pointSearch(pointIn(search)),
    ...pagedSearch(search),
  };
}

/** @param point undefined for everywhere */
export function pointSearch(point: PlaceFilter | undefined): Pick<SessionsSearch, 'lat' | 'lng' | 'unknown'> {
  if (point === undefined) return {};
  return point === 'unknown' ? { unknown: 'true' } : { lat: String(point.lat), lng: String(point.lng) };
}

export function pointIn({ lat, lng, unknown }: Record<string, unknown>): PlaceFilter | undefined {
  if (unknown === 'true') return 'unknown';
  const [north, east] = [degrees(lat, 90), degrees(lng, 180)];
  return north === undefined || east === undefined ? undefined : { lat: north, lng: east };
}

/** Whether the identity service's own list, which knows active sessions only, cannot answer. */
export const needsIndex = ({ q, device, ...place }: SessionsSearch): boolean =>
  q !== undefined || device !== undefined || pointIn({ ...place }) !== undefined;

/** What a search asks of `GET /api/security/sessions` and the route below it. */
export function sessionQuestion({ q, device, active, lat, lng, unknown }: SessionsSearch): URLSearchParams {
  const asked = Object.entries({ q, device, active, lat, lng, unknown });
  return new URLSearchParams(asked.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function degrees(value: unknown, limit: number): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,3}(?:\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
  return Math.abs(number) <= limit ? number : undefined;
}
