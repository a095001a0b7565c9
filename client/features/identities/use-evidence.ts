import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { stateRecordQuery } from '../../api/audit.ts';
import type { Identity } from '../../api/identities.ts';
import { latestMessagesQuery, latestOf, messageAddresses, messageQuery } from '../../api/messages.ts';
import { locksOfQuery } from '../../api/security.ts';
import { useCan } from '../../api/session.ts';
import { identitySessionsQuery, placesQuery } from '../../api/sessions.ts';
import { socialConnectionsQuery, socialSettingsQuery } from '../../api/settings.ts';
import { addressIn } from '../../lib/session-labels.ts';
import { identityCredentialsQuery } from './credentials-tab.tsx';
import { providersOf } from './diagnose.ts';
import { type Evidence, lastSignIn, providerStates } from './evidence.ts';
import { personIdentifiers } from './identity-change.ts';

/** What the sources said, and what is still to come. */
export interface Asked {
  evidence: Evidence;
  /** Of the last sign-in; undefined if it is not known. */
  place: string | undefined;
  /** No answer is outstanding. */
  settled: boolean;
  /** Asks the sources that failed. */
  askAgain: () => void;
}

/** What is needed of a query's result. */
interface Answer {
  isPending: boolean;
  isError: boolean;
  fetchStatus: string;
  refetch: () => unknown;
}

/** Asks every source at once, and each that depends on an answer after it. */
export function useEvidence(identity: Identity): Asked {
  const may = useCan();
  const { id } = identity;
  const credentials = useQuery(identityCredentialsQuery(id));
  const sessions = useInfiniteQuery(identitySessionsQuery(id));
  const latestSessions = sessions.data?.pages[0]?.rows;
  const inactive = identity.state !== 'active';
  const stateRecord = useQuery({ ...stateRecordQuery(id), enabled: inactive && may('audit.read') });

  const byAddress = useQueries({ queries: messageAddresses(identity).map((address) => latestMessagesQuery(address)) });
  const messages = byAddress.every(({ data }) => data !== undefined)
    ? latestOf(byAddress.flatMap(({ data }) => (data === undefined ? [] : [data.rows])))
    : undefined;
  const abandoned = messages?.[0]?.status === 'abandoned' ? messages[0].id : undefined;
  const message = useQuery({ ...messageQuery(abandoned ?? ''), enabled: abandoned !== undefined });

  const locks = useQuery({ ...locksOfQuery([...personIdentifiers(identity)]), enabled: may('locks.read') });

  const names = providersOf(credentials.data ?? []);
  const offered = useQuery({ ...socialConnectionsQuery, enabled: names.length > 0 });
  const allOffered = names.every((name) => offered.data?.some(({ provider }) => provider === name));
  const asksSettings = names.length > 0 && offered.data !== undefined && !allOffered && may('settings.read');
  const settings = useQuery({ ...socialSettingsQuery, enabled: asksSettings });
  const providers =
    names.length === 0
      ? new Map()
      : offered.data !== undefined && (allOffered || settings.data !== undefined)
        ? providerStates(names, offered.data, settings.data ?? [])
        : undefined;

  const address = addressIn(lastSignIn(latestSessions ?? [])?.devices?.[0]?.ip_address);
  const places = useQuery(placesQuery(address === undefined ? [] : [address]));

  const asked: readonly Answer[] = [
    credentials,
    sessions,
    stateRecord,
    ...byAddress,
    message,
    locks,
    offered,
    settings,
    places,
  ];
  return {
    evidence: {
      identity,
      credentials: credentials.data,
      sessions: latestSessions,
      locks: locks.data,
      messages,
      courierReason: message.data?.deliveries.findLast(({ reason }) => reason !== undefined)?.reason,
      providers: credentials.data === undefined ? undefined : providers,
      stateRecord: stateRecord.data,
    },
    place: places.data?.get(address ?? ''),
    settled: asked.every(({ isPending, fetchStatus }) => !isPending || fetchStatus === 'idle'),
    askAgain: () => {
      for (const { isError, refetch } of asked) if (isError) void refetch();
    },
  };
}
