import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ServiceHistory, ServiceState, Services } from '../../shared/services.ts';
import type { Configuration, UpstreamName } from '../../shared/upstreams.ts';
import { refreshEvery, requestWithClock } from './polling.ts';
import { request } from './request.ts';

/** The server caches the states of services for as long. */
export const SERVICES_EVERY_MS = 5_000;

/** The state of all services. @param everyMs refetch interval while the page is visible */
export const servicesQuery = (everyMs: number) =>
  queryOptions({
    queryKey: ['services'],
    queryFn: ({ signal }) => requestWithClock<Services>('/api/services', { signal }),
    refetchInterval: refreshEvery(everyMs),
    staleTime: SERVICES_EVERY_MS,
  });

/** Current state of a service, for a failed call. */
export const serviceStateQuery = (name: UpstreamName) =>
  queryOptions({
    queryKey: ['services', name],
    queryFn: ({ signal }) => requestWithClock<ServiceState>(`/api/services/${name}`, { signal }),
    staleTime: SERVICES_EVERY_MS,
    retry: false,
  });

/** The effective configuration; administrators only. */
export const configurationQuery = queryOptions({
  queryKey: ['configuration'],
  queryFn: ({ signal }) => request<Configuration>('/api/config', { signal }),
});

const EVERY_MS = 60_000;

/** State changes of a service. The state is part of the key, so that a new one causes a refetch. */
export const serviceHistoryQuery = ({ name, status, problem, since }: ServiceState) =>
  queryOptions({
    queryKey: ['services', name, 'history', status, problem, since],
    queryFn: ({ signal }) => request<ServiceHistory>(`/api/services/${name}/history`, { signal }),
    refetchInterval: refreshEvery(EVERY_MS),
    staleTime: EVERY_MS,
    placeholderData: keepPreviousData,
  });
