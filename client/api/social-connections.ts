import { queryOptions } from '@tanstack/react-query';
import type { SocialConnections } from '../../shared/settings.ts';
import { request } from './request.ts';

/** The providers that login pages are told to offer. */
export const socialConnectionsQuery = queryOptions({
  queryKey: ['social-connections'],
  queryFn: ({ signal }) => request<SocialConnections>('/api/connections/social', { signal }),
  select: ({ providers }) => providers,
});
