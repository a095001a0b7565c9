import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ServiceHistory, ServiceState } from '../../../shared/services.ts';
import { refreshEvery } from '../../api/polled.ts';
import { request } from '../../api/request.ts';

const EVERY_MS = 60_000;

/** Changes of a service; asked for anew as soon as its state has changed. */
export const serviceHistoryQuery = ({ name, status, problem, since }: ServiceState) =>
  queryOptions({
    queryKey: ['services', name, 'history', status, problem, since],
    queryFn: ({ signal }) => request<ServiceHistory>(`/api/services/${name}/history`, { signal }),
    refetchInterval: refreshEvery(EVERY_MS),
    staleTime: EVERY_MS,
    placeholderData: keepPreviousData,
  });
