import { queryOptions } from '@tanstack/react-query';
import type { ServiceState } from '../../shared/services.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import { request } from './request.ts';

/** How long the service answers from memory. */
export const FRESH_MS = 5_000;

/** How one of the services stands now: asked for when a call through it has failed. */
export const serviceStateQuery = (name: UpstreamName) =>
  queryOptions({
    queryKey: ['services', name],
    queryFn: ({ signal }) => request<ServiceState>(`/api/services/${name}`, { signal }),
    staleTime: FRESH_MS,
    retry: false,
  });
