import { type InvalidateOptions, type InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';
import { isTransient } from '../api/request-error.ts';

const FRESH_MS = 30_000;

/**
 * Nothing is asked again because a window gets the focus: some reads are audited, and every number on a page says
 * how old it is. `always`: the service may well be reachable when the browser believes to be offline.
 */
export const createQueryClient = (): QueryClient =>
  new ChangeAwareQueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: 'always',
        // The route's loader has asked already; its refusal is not asked for twice.
        retryOnMount: false,
        retry: (failures, error) => failures < 1 && isTransient(error),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });

/**
 * What has changed is read again also where it is being read for the first time: that answer may be from before the
 * change. TanStack Query itself only replaces a read of what it has already.
 */
class ChangeAwareQueryClient extends QueryClient {
  override invalidateQueries(filters?: InvalidateQueryFilters, options?: InvalidateOptions): Promise<void> {
    for (const query of this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
      // Whoever waits for it waits for the next one.
      if (query.state.data === undefined) void query.cancel({ silent: true, revert: true });
    }
    return super.invalidateQueries(filters, options);
  }
}
