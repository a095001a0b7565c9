import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import { ConnectionError, isTransient } from '../api/request.ts';
import { onOnline } from '../lib/on-online.ts';
import { MissingPart } from '../ui/lazy-part.tsx';

const FRESH_MS = 30_000;

/**
 * No refetch on window focus: some reads are audited, and every number on a page shows its age. `always`: the service
 * may be reachable even when the browser believes it is offline.
 */
export const createQueryClient = (): QueryClient =>
  new ChangeAwareQueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: 'always',
        // The route's loader has already made the request; a refusal is not repeated.
        retryOnMount: false,
        retry: (failures, error) => failures < 1 && isTransient(error),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });

/**
 * Invalidation also restarts queries that are loading for the first time: their response may predate the change.
 * TanStack Query itself restarts only queries that have data.
 */
class ChangeAwareQueryClient extends QueryClient {
  override invalidateQueries(filters?: InvalidateQueryFilters, options?: InvalidateOptions): Promise<void> {
    for (const query of this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
      // Callers waiting for this request get the next one's result.
      if (query.state.data === undefined) void query.cancel({ silent: true, revert: true });
    }
    return super.invalidateQueries(filters, options);
  }
}

/** Asks again for what is on screen of these; the others are dropped, so that a page that uses them fetches anew. */
export async function askAgain(client: QueryClient, predicate: (query: Query) => boolean): Promise<void> {
  client.removeQueries({ type: 'inactive', predicate });
  await client.refetchQueries({ type: 'active', predicate });
}

const neverArrived = ({ state: { error } }: Query): boolean =>
  error instanceof ConnectionError || error instanceof MissingPart;

/** Once the browser is back online, asks again for what failed for lack of a connection. */
export function useAskAgainOnline(): void {
  const client = useQueryClient();
  useEffect(() => onOnline(() => void askAgain(client, neverArrived)), [client]);
}
