import { queryOptions, useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import type { AuditRecord } from '../../../shared/audit.ts';
import type { IdentityCredential } from '../../../shared/identity-credentials.ts';
import { isObject, membersOf, texts, timeOf } from '../../../shared/json.ts';
import type { LockedAccount } from '../../../shared/security.ts';
import { type Setting, type SocialProvider, socialSetting } from '../../../shared/settings.ts';
import type { SignInCoverage, SignInEvent } from '../../../shared/sign-ins.ts';
import { readAuditPage } from '../../api/audit.ts';
import type { Identity } from '../../api/identities.ts';
import { identityCredentialsQuery } from '../../api/identity-credentials.ts';
import {
  type ListedMessage,
  latestMessagesQuery,
  latestOf,
  messageAddresses,
  messageQuery,
} from '../../api/messages.ts';
import { locksOfQuery } from '../../api/security.ts';
import { useCan } from '../../api/session.ts';
import { type IdentitySession, identitySessionsQuery, placesQuery } from '../../api/sessions.ts';
import { socialConnectionsQuery, socialSettingsQuery } from '../../api/settings.ts';
import { readSignInsPage, SIGN_IN_PAGES_KEY, signInCoverageQuery, signInsOfQuery } from '../../api/sign-ins.ts';
import { hasSignInLog } from '../../deployment.ts';
import { identifierOf } from '../../lib/identity-name.ts';
import { addressIn } from '../../lib/session-labels.ts';

/** What the sign-in log has of a person: the latest entries, newest first, and the last sign-in, which may be older. */
export interface Attempts {
  events: readonly SignInEvent[];
  /** There may be more before it; undefined if these are all. */
  completeSince: string | undefined;
  lastSignIn: SignInEvent | undefined;
  coverage: SignInCoverage;
}

const attemptsQuery = (identity_id: string) =>
  queryOptions({
    queryKey: [...SIGN_IN_PAGES_KEY, 'attempts', identity_id],
    async queryFn({ client, signal }): Promise<Attempts> {
      const [{ pages }, coverage] = await Promise.all([
        client.fetchInfiniteQuery({ ...signInsOfQuery(identity_id), staleTime: JUST_LOADED_MS }),
        client.fetchQuery({ ...signInCoverageQuery, staleTime: JUST_LOADED_MS }),
      ]);
      const { rows: events = [], next } = pages[0] ?? {};
      const completeSince = next && events.at(-1)?.at;
      const lastSignIn = events.find(isSignIn);
      if (lastSignIn !== undefined || next === undefined) return { events, completeSince, lastSignIn, coverage };
      const { rows } = await readSignInsPage({ identity_id, outcome: 'succeeded', pageSize: 25 }, signal);
      return { events, completeSince, lastSignIn: rows.find(isSignIn), coverage };
    },
    retry: false,
  });
const isSignIn = ({ event }: SignInEvent): boolean => event === 'LoginSucceeded';
const JUST_LOADED_MS = 5_000;

/** Facts about a person's sign-in. A source is undefined if it failed, is not needed or allowed, or is loading. */
export interface Evidence {
  identity: Identity;
  credentials: readonly IdentityCredential[] | undefined;
  sessions: readonly IdentitySession[] | undefined;
  locks: readonly LockedAccount[] | undefined;
  messages: readonly ListedMessage[] | undefined;
  /** Why the courier abandoned the newest message, in the courier's words; null if the operator may not see it. */
  courierReason: string | null | undefined;
  /** Null if it takes settings that the operator may not read. */
  providers: ReadonlyMap<string, Provider> | null | undefined;
  /** The latest audit record that set the identity's state; null if there is none. */
  stateRecord: AuditRecord | null | undefined;
  /** Null if the sign-in log is off. */
  attempts: Attempts | null | undefined;
}

/** Whether a record is that of a successful request to activate or deactivate an identity. */
export const changedState = ({ action, details: { method, status, state } }: AuditRecord): boolean =>
  action === 'proxy_write' &&
  (method === 'PATCH' || method === 'PUT') &&
  (state === 'active' || state === 'inactive') &&
  typeof status === 'number' &&
  status < 300;

/** How many records to search for the latest change of state. */
const STATE_RECORDS = 100;

/** The newest record of a change of the identity's state, if it is among the latest writes; otherwise null. */
const stateRecordQuery = (id: string) =>
  queryOptions({
    queryKey: ['security', 'audit', 'state', id],
    queryFn: async ({ signal }) => {
      const { rows } = await readAuditPage(
        { subject: `identity:${id}`, action: 'proxy_write', pageSize: STATE_RECORDS },
        signal,
      );
      return rows.find(changedState) ?? null;
    },
    retry: false,
  });

export function useEvidence(identity: Identity) {
  const may = useCan();
  const { id } = identity;
  const credentials = useQuery(identityCredentialsQuery(id));
  const sessions = useInfiniteQuery(identitySessionsQuery(id));
  const latestSessions = sessions.data?.pages[0]?.rows;
  const inactive = identity.state !== 'active';
  const stateRecord = useQuery({ ...stateRecordQuery(id), enabled: inactive && may('timeline.read') });

  const latest = useLatestMessages(identity);
  const messages = latest.complete ? latest.messages : undefined;
  const abandoned = messages?.[0]?.status === 'abandoned' ? messages[0].id : undefined;
  const mayReadMessage = may('upstreams.write');
  const message = useQuery({ ...messageQuery(abandoned ?? ''), enabled: abandoned !== undefined && mayReadMessage });

  const locks = useQuery({ ...locksOfQuery([...signInIdentifiers(identity)]), enabled: may('locks.read') });

  const names = providersOf(credentials.data ?? []);
  const offered = useQuery({ ...socialConnectionsQuery, enabled: names.length > 0 });
  const allOffered = names.every((name) => offered.data?.some(({ provider }) => provider === name));
  const needsSettings = names.length > 0 && offered.data !== undefined && !allOffered;
  const settings = useQuery({ ...socialSettingsQuery, enabled: needsSettings && may('settings.read') });
  const providers =
    names.length === 0
      ? new Map()
      : offered.data !== undefined && (allOffered || settings.data !== undefined)
        ? providerStates(names, offered.data, settings.data ?? [])
        : needsSettings && !may('settings.read')
          ? null
          : undefined;

  const address = addressIn(lastSignIn(latestSessions ?? [])?.devices?.[0]?.ip_address);
  const locations = useQuery(placesQuery(address === undefined ? [] : [address]));

  const log = useQuery({ ...attemptsQuery(id), enabled: may('sign-ins.read') && hasSignInLog() });

  const queries = [credentials, sessions, stateRecord, ...latest.results, message, locks, offered, settings, locations];
  const evidence: Evidence = {
    identity,
    credentials: credentials.data,
    sessions: latestSessions,
    locks: locks.data,
    messages,
    courierReason: mayReadMessage
      ? message.data?.deliveries.findLast(({ reason }) => reason !== undefined)?.reason
      : null,
    providers: credentials.data === undefined ? undefined : providers,
    stateRecord: stateRecord.data,
    attempts: hasSignInLog() ? log.data : null,
  };
  return {
    evidence,
    location: locations.data?.get(address ?? ''),
    isSettled: [...queries, log].every(({ isPending, fetchStatus }) => !isPending || fetchStatus === 'idle'),
    retryFailed() {
      for (const { isError, refetch } of [...queries, log]) if (isError) void refetch();
    },
  };
}

export function useLatestMessages(identity: Identity) {
  const addresses = messageAddresses(identity);
  const results = useQueries({ queries: addresses.map((address) => latestMessagesQuery(address)) });
  const pages = results.flatMap(({ data }) => data ?? []);
  return {
    addresses,
    results,
    messages: latestOf(pages.map(({ rows }) => rows)),
    complete: pages.length === results.length,
    more: addresses.filter((_, index) => results[index]?.data?.next !== undefined),
  };
}

/** Names the sources that are missing, for the operator. */
export function missingSources(evidence: Evidence): string[] {
  const { identity, credentials, sessions, locks, messages, providers, stateRecord, attempts } = evidence;
  const sources: [unknown, string][] = [
    [credentials, 'their credentials'],
    [locks, 'their account locks'],
    [sessions, 'their sessions'],
    [messages, 'messages sent to them'],
    [credentials === undefined ? null : providers, 'the sign-in providers'],
    [identity.state === 'active' ? null : stateRecord, 'the audit trail'],
    [attempts, 'the sign-in log'],
  ];
  return sources.flatMap(([data, name]) => (data === undefined ? [name] : []));
}

/** The session with the latest sign-in, including ended sessions. */
export const lastSignIn = (sessions: readonly IdentitySession[]): IdentitySession | undefined =>
  sessions.toSorted((one, other) => timeOf(other.authenticated_at) - timeOf(one.authenticated_at))[0];

/** The log and the session have the time of a sign-in a moment apart. */
export const SAME_SIGN_IN_MS = 60_000;

/** The last sign-in in the log, if it is newer than that of all sessions: a session may be gone. */
export function lastReported({ sessions, attempts }: Pick<Evidence, 'sessions' | 'attempts'>): SignInEvent | undefined {
  const reported = attempts?.lastSignIn;
  const inSession = timeOf(lastSignIn(sessions ?? [])?.authenticated_at);
  return timeOf(reported?.at) - inSession > SAME_SIGN_IN_MS ? reported : undefined;
}

/** When they last signed in, as far as it is known; 0 if it is not. Milliseconds since the epoch. */
export const signedInAt = (evidence: Pick<Evidence, 'sessions' | 'attempts'>): number =>
  Math.max(timeOf(lastSignIn(evidence.sessions ?? [])?.authenticated_at), timeOf(evidence.attempts?.lastSignIn?.at));

/** When they last signed in with a provider, as `signedInAt`. A session that does not name its provider proves nothing. */
export function signedInWith(provider: string, { sessions = [], attempts }: Evidence): number {
  const { events = [], lastSignIn } = attempts ?? {};
  const inLog = [...events, ...(lastSignIn === undefined ? [] : [lastSignIn])].filter(isSignIn);
  const inSessions = sessions.flatMap(({ authentication_methods, issued_at }) =>
    // A session that is refreshed by another method gets a later `authenticated_at`.
    (authentication_methods ?? []).map((one) => ({ ...one, at: one.completed_at ?? issued_at })),
  );
  const all = [...inLog, ...inSessions].filter((one) => one.method === 'oidc' && one.provider === provider);
  return Math.max(0, ...all.map(({ at }) => timeOf(at)));
}

/** A provider in Connections: offered, switched off, not fully set up, or unknown. */
export interface Provider {
  state: 'offered' | 'disabled' | 'incomplete' | 'unknown';
  /** When it was switched off or a field was emptied: 0 for never, Infinity if unknown. Milliseconds since the epoch. */
  since: number;
}

/** Providers that a person signs in with, taken from the credential identifiers (`provider:subject`). */
export const providersOf = (credentials: readonly IdentityCredential[]): string[] => [
  ...new Set(
    credentials
      .filter(({ type, set }) => set && type === 'oidc')
      .flatMap(({ identifiers }) => identifiers.map((text) => text.slice(0, Math.max(text.indexOf(':'), 0))))
      .filter((name) => name !== ''),
  ),
];

/** @param settings social sign-in settings; needed only if a provider in `names` is not offered */
export function providerStates(
  names: readonly string[],
  offered: readonly SocialProvider[],
  settings: readonly Setting[],
): ReadonlyMap<string, Provider> {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const isEmpty = (setting: Setting | undefined): boolean => !setting?.encrypted && !setting?.value.trim();
  const stateOf = (name: string): Provider => {
    const isOffered = offered.some(({ provider }) => provider === name);
    // Settings are loaded only if a provider is not offered. Without them, an offered provider counts as complete.
    if (![...byKey.keys()].some((key) => key.startsWith(`social.${name}.`)))
      return { state: isOffered ? 'offered' : 'unknown', since: 0 };
    const [id, secret, enabled] = (['client_id', 'client_secret', 'enabled'] as const).map((field) =>
      byKey.get(socialSetting(name, field)),
    );
    const empty = [id, secret].filter(isEmpty);
    if (isOffered && empty.length === 0) return { state: 'offered', since: 0 };
    // Only a sign-in after all of these changes says that none of them prevents it.
    const changes = [...empty, ...(isOffered ? [] : [enabled])];
    const since = Math.max(...changes.map((setting) => timeOf(setting?.updated_at) || Number.POSITIVE_INFINITY));
    return { state: empty.length > 0 ? 'incomplete' : 'disabled', since };
  };
  return new Map(names.map((name) => [name, stateOf(name)]));
}

/** All identifiers that a person may sign in with, normalized as in account locks: trimmed and in lower case. */
export function signInIdentifiers(identity: Identity): ReadonlySet<string> {
  const { verifiable_addresses = [], recovery_addresses = [], credentials } = identity;
  const stored = isObject(credentials) ? Object.values(credentials) : [];
  return new Set(
    [
      identifierOf(identity) ?? '',
      ...[...verifiable_addresses, ...recovery_addresses].map(({ value }) => String(value)),
      ...stored.flatMap((credential) => texts(membersOf(credential).identifiers)),
    ]
      .map((identifier) => identifier.trim().toLowerCase())
      .filter((identifier) => identifier !== ''),
  );
}
