import { queryOptions } from '@tanstack/react-query';
import { isObject, text } from '../../../shared/json.ts';
import { type CursorPage, nextToken, refusedToken } from '../../api/cursor-page.ts';
import { withMarks } from '../../api/identity-marks.ts';
import { type IdentitySession, tellingEnded } from '../../api/identity-session.ts';
import { request, send } from '../../api/request.ts';
import { unreadableAnswer } from '../../api/request-error.ts';
import { identityAdmin } from '../../api/upstream-api.ts';
import { personOf } from '../../format/identity-name.ts';
import { addressIn, addressWithoutPort } from '../../format/network-address.ts';
import { type SessionState, sessionState } from '../../format/session-state.ts';

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
  return { rows: rows.map(listed), next: nextToken(response.headers.get('Link') ?? '') };
}

/** Reads the stored version, bypassing the cache. */
export async function readSession(id: string, signal?: AbortSignal): Promise<SessionRecord> {
  const session = await request<unknown>(`${sessionPath(id)}?${EXPANDED}`, { signal });
  if (!isSession(session)) throw unreadableAnswer('identity service', 'a session');
  const [told = session] = await tellingEnded([session], sessionPath(id), signal);
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
