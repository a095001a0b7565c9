import { queryOptions } from '@tanstack/react-query';
import type { Services } from '../../shared/services.ts';
import { requestDated } from './dated.ts';
import { refreshEvery } from './refresh-every.ts';

/** The server checks as often. */
export const SERVICES_EVERY_MS = 5_000;

/** The state of every service. @param everyMs refetch interval while the page is visible */
export const servicesQuery = (everyMs: number) =>
  queryOptions({
    queryKey: ['services'],
    queryFn: ({ signal }) => requestDated<Services>('/api/services', { signal }),
    refetchInterval: refreshEvery(everyMs),
    staleTime: SERVICES_EVERY_MS,
  });
