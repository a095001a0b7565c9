import { infiniteQueryOptions } from '@tanstack/react-query';
import type { AuditPage, AuditSubject } from '../../shared/audit.ts';
import { request } from './request.ts';

/** A subject's audit records, newest first. */
export const auditHistoryQuery = (subject: AuditSubject) =>
  infiniteQueryOptions({
    queryKey: ['security', 'audit', 'history', subject],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams({ subject });
      if (pageParam !== undefined) query.set('page_token', pageParam);
      return request<AuditPage>(`/api/security/audit?${query}`, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ has_more, next_page_token }) => (has_more && next_page_token) || undefined,
    retry: false,
  });
