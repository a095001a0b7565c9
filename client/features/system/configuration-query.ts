import { queryOptions } from '@tanstack/react-query';
import type { Configuration } from '../../../shared/upstreams.ts';
import { request } from '../../api/request.ts';

/** The effective configuration; administrators only. */
export const configurationQuery = queryOptions({
  queryKey: ['configuration'],
  queryFn: ({ signal }) => request<Configuration>('/api/config', { signal }),
});
