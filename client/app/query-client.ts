import {
  focusManager,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ServiceState } from '../../shared/services.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import { sleep } from '../api/polling.ts';
import { ConnectionError, isTransient, RequestError } from '../api/request.ts';
import { SERVICES_EVERY_MS, serviceStateQuery } from '../api/services.ts';
import { onOnline } from '../lib/on-online.ts';
import { MissingPart } from '../ui/lazy-part.tsx';

const FRESH_MS = 30_000;

/**
 * No refetch on window focus, since some reads are audited. `networkMode` is `always`, because the service may be
 * reachable even when the browser reports that it is offline.
 */
export const createQueryClient = (): QueryClient =>
  new ChangeAwareQueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: 'always',
        // The route's loader has already made the request: do not repeat it if it was refused.
        retryOnMount: false,
        retry: (failures, error) => failures < 1 && isTransient(error),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });

/**
 * Also restarts queries during their first load, whose response may predate the change. TanStack Query restarts only
 * queries that have data.
 */
class ChangeAwareQueryClient extends QueryClient {
  override invalidateQueries(filters?: InvalidateQueryFilters, options?: InvalidateOptions): Promise<void> {
    for (const query of this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
      // Callers that await the cancelled request get the result of the new one.
      if (query.state.data === undefined) void query.cancel({ silent: true, revert: true });
    }
    return super.invalidateQueries(filters, options);
  }
}

/** Refetches the matching queries on screen and drops the others, so that their pages load fresh data. */
export async function refetchMatching(client: QueryClient, predicate: (query: Query) => boolean): Promise<void> {
  client.removeQueries({ type: 'inactive', predicate });
  await client.refetchQueries({ type: 'active', predicate });
}

const hadNoConnection = ({ state: { error } }: Query): boolean =>
  error instanceof ConnectionError || error instanceof MissingPart;

/** Once the browser is back online, refetches queries that failed without a connection. */
export function useRefetchOnline(): void {
  const client = useQueryClient();
  useEffect(() => onOnline(() => void refetchMatching(client, hadNoConnection)), [client]);
}

const LONGEST_WAIT_MS = 60_000;
/** With the backoff, about half an hour. */
const CHECKS_MAX = 30;

const watched = new WeakMap<QueryClient, Set<UpstreamName>>();

/**
 * Polls an unavailable service with exponential backoff. Once it is up, refetches the failed queries on screen. Pauses
 * while the tab is hidden. Stops when no query on screen has failed, when the session ends, or after half an hour.
 */
export async function refetchOnceUp(
  client: QueryClient,
  service: UpstreamName,
  wait: (milliseconds: number) => Promise<void> = sleep,
  check = (): Promise<Pick<ServiceState, 'status'>> =>
    client.fetchQuery({ ...serviceStateQuery(service), staleTime: 0 }),
): Promise<void> {
  const services = watched.get(client) ?? new Set();
  watched.set(client, services);
  if (services.has(service)) return;
  services.add(service);
  const hasFailed = ({ state: { error } }: Query): boolean =>
    error instanceof RequestError && error.service === service;
  let wasDown = false;
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    await wait(Math.min(LONGEST_WAIT_MS, SERVICES_EVERY_MS * 2 ** checks));
    await visible();
    if (client.getQueryCache().findAll({ type: 'active', predicate: hasFailed }).length === 0) break;
    const { data: before } = client.getQueryState(serviceStateQuery(service).queryKey) ?? {};
    wasDown ||= before !== undefined && before.status !== 'up';
    const state = await check().catch((error: Error) => error);
    if (state instanceof RequestError && state.status === 401) break;
    if (state instanceof Error || state.status !== 'up') {
      wasDown = true;
      continue;
    }
    // If calls fail although the service is up, they may never succeed: leave retries to the operator.
    if (!wasDown) break;
    await refetchMatching(client, hasFailed);
    wasDown = false;
  }
  services.delete(service);
}

const visible = (): Promise<void> =>
  new Promise((resolve) => {
    const end = focusManager.subscribe((isVisible) => isVisible && done());
    const done = (): void => {
      end();
      resolve();
    };
    if (focusManager.isFocused()) done();
  });
