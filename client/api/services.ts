import { queryOptions } from '@tanstack/react-query';
import type { Services } from '../../shared/services.ts';
import { requestDated } from './dated.ts';
import { refreshEvery } from './refresh-every.ts';

/** As often as the service itself looks. */
export const SERVICES_EVERY_MS = 5_000;

/** Every service and how it is. @param everyMs how often to ask while the page is visible */
export const servicesQuery = (everyMs: number) =>
  queryOptions({
    queryKey: ['services'],
    queryFn: ({ signal }) => requestDated<Services>('/api/services', { signal }),
    refetchInterval: refreshEvery(everyMs),
    staleTime: SERVICES_EVERY_MS,
  });
