import { queryOptions } from '@tanstack/react-query';
import { identifierOf, nameOf } from '../../../shared/identity-name.ts';
import { isObject, text } from '../../../shared/json.ts';
import type { LocatedSession, LocatedSessions } from '../../../shared/session-locations.ts';
import { type CursorPage, nextToken, refusedToken } from '../../api/cursor-page.ts';
import { type IdentitySession, tellingEnded } from '../../api/identity-session.ts';
import { requestDated } from '../../api/polled.ts';
import { request, send } from '../../api/request.ts';
import { unreadableAnswer } from '../../api/request-error.ts';
import { identityAdmin } from '../../api/upstream-api.ts';
import { addressIn, addressWithoutPort } from '../../format/network-address.ts';
import { type SessionState, sessionState } from '../../format/session-state.ts';
import { inPieces } from './places-query.ts';

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

/** A place on the map, or all sessions without a known place. */
export type PlaceFilter = { lat: number; lng: number } | 'unknown';

export interface SessionPageParams {
  pageSize: number;
  active: boolean;
  /** Undefined for all sessions. */
  point: PlaceFilter | undefined;
  /** Cursor from the previous page; undefined for the first page. */
  token: string | undefined;
}

/** For a place: its total, of which only the most recent are listed, and when they were read. */
export interface SessionPage extends CursorPage<ListedSession> {
  located: { total: number; listed: number; truncated: boolean; asOf: string; clockAheadMs: number } | undefined;
}

/** Key prefix of every page of the list, for invalidation after a write. */
export const SESSION_PAGES_KEY = ['sessions', 'page'] as const;

const EXPANDED = 'expand=identity&expand=devices';
const pathOf = (id: string): string => identityAdmin(`/sessions/${encodeURIComponent(id)}`);

export const sessionPageQuery = (question: SessionPageParams) =>
  queryOptions({
    queryKey: [...SESSION_PAGES_KEY, question],
    queryFn: ({ signal }) => {
      const { point } = question;
      return point === undefined ? listedPage(question, signal) : locatedPage({ ...question, point }, signal);
    },
    retry: false,
  });

async function listedPage(question: SessionPageParams, signal: AbortSignal): Promise<SessionPage> {
  const { pageSize, active, token } = question;
  const query = new URLSearchParams({ page_size: String(pageSize) });
  if (active) query.set('active', 'true');
  if (token !== undefined) query.set('page_token', token);
  const path = identityAdmin('/sessions');
  const response = await send(`${path}?${EXPANDED}&${query}`, { signal }).catch((error) => {
    throw token === undefined ? error : refusedToken(error);
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!Array.isArray(body) || !body.every(isSession)) throw unreadableAnswer('identity service', 'a list of sessions');
  const rows = active ? body : await tellingEnded(body, `${path}?${query}`, signal);
  return { rows: rows.map(listed), next: nextToken(response.headers.get('Link') ?? ''), located: undefined };
}

/** The server returns all rows at once; a cursor is an index into them. */
async function locatedPage(
  { pageSize, active, point, token }: SessionPageParams & { point: PlaceFilter },
  signal: AbortSignal,
): Promise<SessionPage> {
  const query = new URLSearchParams(
    point === 'unknown' ? { unknown: 'true' } : { lat: String(point.lat), lng: String(point.lng) },
  );
  if (active) query.set('active', 'true');
  const answer = await requestDated<LocatedSessions>(`/api/security/sessions?${query}`, { signal });
  const start = Number(token ?? 0);
  const end = start + pageSize;
  const rows = answer.sessions.slice(start, end);
  const people = await peopleOf(rows, signal);
  const { total, sessions, truncated, as_of: asOf, clockAheadMs } = answer;
  return {
    rows: rows.map((session) => fromLocated(session, people)),
    next: end < sessions.length ? String(end) : undefined,
    located: { total, listed: sessions.length, truncated, asOf, clockAheadMs },
  };
}

/** As many ids as fit into a URL on any server. */
const IDS_AT_ONCE = 100;

type Person = { traits?: unknown; state?: unknown };

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

/** Reads the stored version, bypassing the cache. */
export async function readSession(id: string, signal?: AbortSignal): Promise<SessionRecord> {
  const session = await request<unknown>(`${pathOf(id)}?${EXPANDED}`, { signal });
  if (!isSession(session)) throw unreadableAnswer('identity service', 'a session');
  const [told = session] = await tellingEnded([session], pathOf(id), signal);
  return told;
}

export const sessionRecordQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity-session', id],
    queryFn: ({ signal }) => readSession(id, signal),
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
  await send(`${pathOf(id)}/extend`, { method: 'PATCH' });
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
    person: personOf(identity?.traits),
    state: sessionState(session, identity),
    authenticatedAt: text(authenticated_at),
    expiresAt: text(expires_at),
    userAgent: device?.user_agent ?? null,
    address: addressIn(device?.ip_address),
    place: undefined,
  };
}

function fromLocated(session: LocatedSession, people: ReadonlyMap<string, Person>): ListedSession {
  const person = people.get(session.identity_id ?? '');
  return {
    id: session.id,
    identityId: session.identity_id ?? undefined,
    person: personOf(person?.traits),
    state: sessionState(session, person),
    authenticatedAt: session.authenticated_at ?? '',
    expiresAt: session.expires_at ?? '',
    userAgent: session.device,
    address: session.ip ?? undefined,
    place: session.place,
  };
}

export const personOf = (traits: unknown): string | undefined =>
  isObject(traits) ? (identifierOf(traits) ?? nameOf(traits)) : undefined;
