import { queryOptions } from '@tanstack/react-query';
import { isObject, type JsonObject, text } from '../../../shared/json.ts';
import type { LocatedSession, LocatedSessions } from '../../../shared/locations.ts';
import { type CursorPage, readUpstreamPage, refusedToken } from '../../api/cursor-page.ts';
import { withMarks } from '../../api/identities.ts';
import { readStoredByIds } from '../../api/identity-batches.ts';
import { present } from '../../api/identity-filters.ts';
import { identityAdmin, request, unreadableResponse, withQuery } from '../../api/request.ts';
import { type IdentitySession, markEnded } from '../../api/sessions.ts';
import { identifierOf, nameOf } from '../../lib/identity-name.ts';
import { addressIn, addressWithoutPort, type SessionState, sessionState } from '../../lib/session-labels.ts';
import { searchText } from '../../lib/visible-text.ts';
import { type PagedSearch, type ParamsOf, pagedSearch } from '../../list/resource.ts';

/** Times are ISO 8601, or empty if unknown. */
export interface ListedSession {
  id: string;
  identityId: string | undefined;
  /** The owner's name and login identifier, as far as they are known. */
  name: string | undefined;
  identifier: string | undefined;
  state: SessionState;
  authenticatedAt: string;
  expiresAt: string;
  userAgent: string | null;
  /** The IP address that the identity service reports, without a port. */
  address: string | undefined;
  /** Null if the location of the address is unknown; undefined until it has loaded. */
  place: string | null | undefined;
}

/** Key prefix of all list pages, to invalidate them after a write. */
export const SESSION_PAGES_KEY = ['sessions', 'page'] as const;

const EXPANDED = 'expand=identity&expand=devices';
export const sessionPath = (id: string): string => identityAdmin(`/sessions/${encodeURIComponent(id)}`);

/** A page of the identity service's own list, newest first. */
async function listSessions(
  { pageSize, active, token }: SessionPageParams,
  signal: AbortSignal,
): Promise<CursorPage<ListedSession>> {
  const path = identityAdmin('/sessions');
  const parameters = { page_size: pageSize, active: active ? 'true' : undefined, page_token: token };
  const { rows, next } = await readUpstreamPage<IdentitySession & JsonObject>(
    `${path}?${EXPANDED}`,
    parameters,
    isSession,
    ['identity service', 'a list of sessions'],
    signal,
  );
  const marked = active ? rows : await markEnded(rows, withQuery(path, parameters), signal);
  return { rows: marked.map(rowOf), next };
}

/** Reads the stored session, bypassing the cache. */
export async function readSession(id: string, signal?: AbortSignal): Promise<IdentitySession> {
  const session = await request<unknown>(`${sessionPath(id)}?${EXPANDED}`, { signal });
  if (!isSession(session)) throw unreadableResponse('identity service', 'a session');
  const [marked = session] = await markEnded([session], sessionPath(id), signal);
  return marked;
}

export const sessionRecordQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity-session', id],
    queryFn: ({ client, signal }) => withMarks(client, readSession(id, signal)),
    retry: false,
  });

const isSession = (session: unknown): session is IdentitySession => isObject(session) && typeof session.id === 'string';

export function rowOf(session: IdentitySession): ListedSession {
  const { id, authenticated_at, expires_at, devices, identity } = session;
  // A session has one device per sign-in: use one with an address, if any.
  const device = devices?.find(({ ip_address: ip }) => addressWithoutPort(ip) !== undefined) ?? devices?.[0];
  return {
    id,
    identityId: identity?.id,
    ...namesOf(identity),
    state: sessionState(session, identity),
    authenticatedAt: text(authenticated_at),
    expiresAt: text(expires_at),
    userAgent: device?.user_agent ?? null,
    address: addressIn(device?.ip_address),
    place: undefined,
  };
}

const namesOf = (identity: SessionIdentity | null | undefined): Pick<ListedSession, 'name' | 'identifier'> => ({
  name: identity ? nameOf(identity) : undefined,
  identifier: identity ? identifierOf(identity) : undefined,
});

export const sessionPageQuery = (params: SessionPageParams) =>
  queryOptions({
    queryKey: [...SESSION_PAGES_KEY, params],
    async queryFn({ client, signal }) {
      await withMarks(client, Promise.resolve());
      return needsIndex(params) ? findSessions(params, signal) : listSessions(params, signal);
    },
    retry: false,
  });

/** A search with `q` or `ip` leaves an audit record. */
async function findSessions(
  { pageSize, token, ...search }: SessionPageParams,
  signal: AbortSignal,
): Promise<CursorPage<ListedSession>> {
  const params = sessionParams(search);
  params.set('page_size', String(pageSize));
  if (token !== undefined) params.set('page_token', token);
  const response = await request<LocatedSessions>(`/api/security/sessions?${params}`, { signal }).catch((error) => {
    throw token === undefined ? error : refusedToken(error);
  });
  const identities = await identitiesOf(response.sessions, signal);
  return {
    rows: response.sessions.map((session) => locatedRow(session, identities)),
    next: response.next_page_token ?? undefined,
    matches: { total: response.total, complete: !response.truncated, asOf: response.as_of },
  };
}

type SessionIdentity = { traits?: unknown; schema_id?: unknown; state?: unknown };

/** Identities by id. If loading fails, the list displays the ids. */
async function identitiesOf(sessions: readonly LocatedSession[], signal: AbortSignal) {
  const ids = [...new Set(sessions.flatMap(({ identity_id: id }) => id ?? []))];
  const identities = await readStoredByIds(ids, signal).catch((error) => {
    if (signal.aborted) throw error;
    return [];
  });
  return new Map(identities.map((identity) => [String(identity.id), identity]));
}

function locatedRow(session: LocatedSession, identities: ReadonlyMap<string, SessionIdentity>): ListedSession {
  const identity = identities.get(session.identity_id ?? '');
  return {
    id: session.id,
    identityId: session.identity_id ?? undefined,
    ...namesOf(identity),
    state: sessionState(session, identity),
    authenticatedAt: session.authenticated_at ?? '',
    expiresAt: session.expires_at ?? '',
    userAgent: session.device,
    address: session.ip ?? undefined,
    place: session.place,
  };
}

export interface SessionsSearch extends PagedSearch {
  /** Text in any part of the person's name, e-mail or other traits. */
  q?: string;
  /** Text in any part of the device's description: “Chrome on macOS”. */
  device?: string;
  /** The exact IP address of a device. */
  ip?: string;
  /** `true`: neither ended nor expired; `false`: ended or expired. */
  active?: 'true' | 'false';
  /** A location on the map: both coordinates or neither. */
  lat?: string;
  lng?: string;
  /** Sessions without a known location; not with `lat` and `lng`. */
  unknown?: 'true';
  /** Text in any part of the location's name, to find a city. */
  city?: string;
}

export type SessionPageParams = ParamsOf<SessionsSearch>;

/** A location on the map, or all sessions without a known location. */
export type PlaceFilter = { lat: number; lng: number } | 'unknown';

/** Drops invalid parameters. */
export function parseSessionsSearch(search: Record<string, unknown>): SessionsSearch {
  const { q, device, city, active } = search;
  const ip = searchText(search['ip']);
  return {
    ...present({ q: searchText(q), device: searchText(device), city: searchText(city), ip: addressIn(ip) ?? ip }),
    ...((active === 'true' || active === 'false') && { active }),
    ...pointSearch(pointIn(search)),
    ...pagedSearch(search),
  };
}

/** @param point undefined for all locations */
export function pointSearch(point: PlaceFilter | undefined): Pick<SessionsSearch, 'lat' | 'lng' | 'unknown'> {
  if (point === undefined) return {};
  return point === 'unknown' ? { unknown: 'true' } : { lat: String(point.lat), lng: String(point.lng) };
}

export function pointIn({ lat, lng, unknown }: Record<string, unknown>): PlaceFilter | undefined {
  if (unknown === 'true') return 'unknown';
  const [north, east] = [degrees(lat, 90), degrees(lng, 180)];
  return north === undefined || east === undefined ? undefined : { lat: north, lng: east };
}

/** The identity service's own list can only be filtered to active sessions. */
export const needsIndex = ({ q, device, city, ip, active, ...place }: SessionsSearch): boolean =>
  [q, device, city, ip, pointIn({ ...place })].some((one) => one !== undefined) || active === 'false';

/** The query parameters of `GET /api/security/sessions` and the route below it. */
export function sessionParams({ q, ip, device, active, lat, lng, unknown, city }: SessionsSearch): URLSearchParams {
  const entries = Object.entries({ q, ip, device, active, lat, lng, unknown, place: city });
  return new URLSearchParams(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function degrees(value: unknown, limit: number): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,3}(?:\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
  return Math.abs(number) <= limit ? number : undefined;
}
