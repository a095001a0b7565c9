import { queryOptions } from '@tanstack/react-query';
import type { ServiceState } from '../../shared/services.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import { request } from './request.ts';

/** The server caches a state for as long. */
export const FRESH_MS = 5_000;

/** Current state of a service, read when a call through it has failed. */
export const serviceStateQuery = (name: UpstreamName) =>
  queryOptions({
    queryKey: ['services', name],
    queryFn: ({ signal }) => request<ServiceState>(`/api/services/${name}`, { signal }),
    staleTime: FRESH_MS,
    retry: false,
  });
