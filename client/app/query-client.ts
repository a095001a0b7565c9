import { QueryClient } from '@tanstack/react-query';
import { isTransient } from '../api/request-error.ts';

const FRESH_MS = 30_000;

/**
 * Nothing is asked again because a window gets the focus: some reads are audited, and every number on a page says
 * how old it is. `always`: the service may well be reachable when the browser believes to be offline.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
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
