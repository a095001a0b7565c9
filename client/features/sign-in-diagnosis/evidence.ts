import { queryOptions, useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import type { AuditRecord } from '../../../shared/audit.ts';
import type { IdentityCredential } from '../../../shared/identity-credentials.ts';
import { isObject, membersOf, texts, timeOf } from '../../../shared/json.ts';
import type { LockedAccount } from '../../../shared/security.ts';
import { type Setting, type SocialProvider, socialSetting } from '../../../shared/settings.ts';
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
import { identifierOf } from '../../lib/identity-name.ts';
import { addressIn } from '../../lib/session-labels.ts';

/** Facts about a person's sign-in. A source is undefined if it failed, is not needed or allowed, or is loading. */
export interface Evidence {
  identity: Identity;
  credentials: readonly IdentityCredential[] | undefined;
  sessions: readonly IdentitySession[] | undefined;
  locks: readonly LockedAccount[] | undefined;
  messages: readonly ListedMessage[] | undefined;
  /** Why the courier abandoned the newest message, in the courier's words. */
  courierReason: string | undefined;
  providers: ReadonlyMap<string, ProviderState> | undefined;
  /** The latest audit record that set the identity's state; null if there is none. */
  stateRecord: AuditRecord | null | undefined;
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
  const stateRecord = useQuery({ ...stateRecordQuery(id), enabled: inactive && may('audit.read') });

  const latest = useLatestMessages(identity);
  const messages = latest.complete ? latest.messages : undefined;
  const abandoned = messages?.[0]?.status === 'abandoned' ? messages[0].id : undefined;
  const message = useQuery({ ...messageQuery(abandoned ?? ''), enabled: abandoned !== undefined });

  const locks = useQuery({ ...locksOfQuery([...signInIdentifiers(identity)]), enabled: may('locks.read') });

  const names = providersOf(credentials.data ?? []);
  const offered = useQuery({ ...socialConnectionsQuery, enabled: names.length > 0 });
  const allOffered = names.every((name) => offered.data?.some(({ provider }) => provider === name));
  const needsSettings = names.length > 0 && offered.data !== undefined && !allOffered && may('settings.read');
  const settings = useQuery({ ...socialSettingsQuery, enabled: needsSettings });
  const providers =
    names.length === 0
      ? new Map()
      : offered.data !== undefined && (allOffered || settings.data !== undefined)
        ? providerStates(names, offered.data, settings.data ?? [])
        : undefined;

  const address = addressIn(lastSignIn(latestSessions ?? [])?.devices?.[0]?.ip_address);
  const locations = useQuery(placesQuery(address === undefined ? [] : [address]));

  const queries = [credentials, sessions, stateRecord, ...latest.results, message, locks, offered, settings, locations];
  const evidence: Evidence = {
    identity,
    credentials: credentials.data,
    sessions: latestSessions,
    locks: locks.data,
    messages,
    courierReason: message.data?.deliveries.findLast(({ reason }) => reason !== undefined)?.reason,
    providers: credentials.data === undefined ? undefined : providers,
    stateRecord: stateRecord.data,
  };
  return {
    evidence,
    location: locations.data?.get(address ?? ''),
    isSettled: queries.every(({ isPending, fetchStatus }) => !isPending || fetchStatus === 'idle'),
    retryFailed() {
      for (const { isError, refetch } of queries) if (isError) void refetch();
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
  const { identity, credentials, sessions, locks, messages, providers, stateRecord } = evidence;
  const sources: [unknown, string][] = [
    [credentials, 'their credentials'],
    [locks, 'their account locks'],
    [sessions, 'their sessions'],
    [messages, 'messages sent to them'],
    [credentials === undefined ? null : providers, 'the sign-in providers'],
    [identity.state === 'active' ? null : stateRecord, 'the audit trail'],
  ];
  return sources.flatMap(([data, name]) => (data === undefined ? [name] : []));
}

/** The session with the latest sign-in, including ended sessions. */
export const lastSignIn = (sessions: readonly IdentitySession[]): IdentitySession | undefined =>
  sessions.toSorted((one, other) => timeOf(other.authenticated_at) - timeOf(one.authenticated_at))[0];

/** State of a provider on the login pages: offered, switched off, not fully set up, or unknown. */
export type ProviderState = 'offered' | 'disabled' | 'incomplete' | 'unknown';

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
function providerStates(
  names: readonly string[],
  offered: readonly SocialProvider[],
  settings: readonly Setting[],
): ReadonlyMap<string, ProviderState> {
  const byKey = new Map(settings.map((setting) => [setting.key, setting]));
  const has = (name: string, field: 'client_id' | 'client_secret'): boolean => {
    const setting = byKey.get(socialSetting(name, field));
    return setting !== undefined && (setting.encrypted || setting.value.trim() !== '');
  };
  const stateOf = (name: string): ProviderState => {
    const isOffered = offered.some(({ provider }) => provider === name);
    // Settings are loaded only if a provider is not offered. Without them, an offered provider counts as complete.
    if (![...byKey.keys()].some((key) => key.startsWith(`social.${name}.`))) return isOffered ? 'offered' : 'unknown';
    if (!has(name, 'client_id') || !has(name, 'client_secret')) return 'incomplete';
    return isOffered ? 'offered' : 'disabled';
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
