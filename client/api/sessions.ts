import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { isObject } from '../../shared/json.ts';
import {
  EXPANDED_SESSIONS_PAGE,
  GEO_ADDRESSES_MAX,
  type GeoLocation,
  type GeoResponse,
  type SessionLocations,
} from '../../shared/locations.ts';
import type { CursorPage } from './cursor-page.ts';
import { refreshUntilWhole, requestWithClock } from './polling.ts';
import { bodyOf, deleteAt, identityAdmin, request, send, unreadableResponse, withQuery } from './request.ts';

const sessionsOf = (id: string): string => identityAdmin(`/identities/${encodeURIComponent(id)}/sessions`);

type SessionsPage = CursorPage<IdentitySession> & { total: number };

/** An identity's sessions, newest first. Only the first page marks ended sessions. */
export const identitySessionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['identity-sessions', id],
    queryFn: async ({ pageParam, signal }): Promise<SessionsPage> => {
      const page = await readSessionsPage(id, pageParam, signal);
      if (pageParam > 1) return page;
      return { ...page, rows: await markEnded(page.rows, `${pageOf(id, 1)}&active=false`, signal) };
    },
    initialPageParam: 1,
    getNextPageParam: ({ next }) => (next === undefined ? undefined : Number(next)),
    retry: false,
  });

/** Requests pages by number, since the identity service never links to the last page. */
const pageOf = (id: string, page: number): string =>
  `${sessionsOf(id)}?per_page=${EXPANDED_SESSIONS_PAGE}&page=${page}`;

export async function readSessionsPage(id: string, page: number, signal?: AbortSignal): Promise<SessionsPage> {
  const response = await send(pageOf(id, page), { signal });
  const rows = await bodyOf<unknown>(response);
  if (!Array.isArray(rows) || !rows.every((session) => typeof session?.id === 'string'))
    throw unreadableResponse('identity service', 'a list of sessions');
  return {
    rows,
    // A full page may be followed by another: the service does not mark the last page.
    next: rows.length < EXPANDED_SESSIONS_PAGE ? undefined : String(page + 1),
    total: Math.max(Number(response.headers.get('X-Total-Count')) || 0, rows.length),
  };
}

/** Ends all sessions of an identity; succeeds without any. @returns whether there was a session */
export const revokeSessions = (id: string, reason?: string): Promise<boolean> => deleteAt(sessionsOf(id), reason);

export async function revokeSession(sessionId: string, reason?: string): Promise<void> {
  await deleteAt(identityAdmin(`/sessions/${encodeURIComponent(sessionId)}`), reason);
}

export interface IdentitySession {
  id: string;
  active: boolean;
  /** Set if a session of an inactive identity is over: `active` is false for all sessions of that identity. */
  ended?: boolean;
  authenticated_at: string;
  issued_at: string;
  expires_at: string;
  authenticator_assurance_level?: string;
  authentication_methods?: { method: string; provider?: string; completed_at?: string }[] | null;
  devices?: { id: string; ip_address?: string | null; user_agent?: string | null }[] | null;
  identity?: { id: string; traits?: unknown; state?: string } | null;
}

/**
 * Marks the ended sessions of inactive identities. The identity service reports all their sessions as inactive, so this
 * reads the sessions again from an endpoint that ignores the identity's state.
 * @param path returns either the same sessions with their own state, or only the ended ones
 */
export async function markEnded<T extends IdentitySession>(
  sessions: readonly T[],
  path: string,
  signal: AbortSignal | undefined,
): Promise<T[]> {
  if (!sessions.some(({ active, identity }) => !active && identity?.state === 'inactive')) return [...sessions];
  const stored = [await request<unknown>(path, { signal })].flat().filter(isObject);
  const ended = new Set(stored.filter(({ active }) => active === false).map(({ id }) => id));
  return sessions.map((session) => (ended.has(session.id) ? { ...session, ended: true } : session));
}

const EVERY_MS = 60_000;

/** Locations of session starts. @param days how far back, 1 to 365; omit for all recent sessions */
export const sessionLocationsQuery = ({ active, days }: { active: 'true' | 'false' | undefined; days?: number }) =>
  queryOptions({
    queryKey: ['session-locations', { active, days }],
    queryFn: ({ signal }) =>
      requestWithClock<SessionLocations>(withQuery('/api/session-locations', { days, active }), { signal }),
    refetchInterval: refreshUntilWhole<SessionLocations>(EVERY_MS, ({ truncated }) => !truncated),
  });

/** Geolocation databases change rarely. */
const FRESH_MS = 10 * 60_000;

/** Locations by IP address; unknown locations are omitted. @param addresses distinct and valid */
export const placesQuery = (addresses: readonly string[]) =>
  queryOptions({
    queryKey: ['places', addresses],
    queryFn: async ({ signal }) => {
      const responses = await Promise.all(
        chunksOf(addresses, GEO_ADDRESSES_MAX).map((some) =>
          request<GeoResponse>(`/api/geo?${new URLSearchParams(some.map((ip) => ['ip', ip]))}`, { signal }),
        ),
      );
      return new Map(responses.flatMap(({ locations }) => locations.filter(({ found }) => found).map(named)));
    },
    enabled: addresses.length > 0,
    staleTime: FRESH_MS,
  });

/** `Oslo, Norway`, or just the country. */
const named = ({ ip, city, country }: GeoLocation): [string, string] => [
  ip,
  [city, country].filter((part) => part !== null).join(', '),
];

export const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) => items.slice(chunk * size, (chunk + 1) * size));
