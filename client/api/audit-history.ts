import { infiniteQueryOptions } from '@tanstack/react-query';
import type { AuditSubject } from '../../shared/audit.ts';
import { readAuditPage } from './audit.ts';

const HISTORY_PAGE_SIZE = 25;

/** A subject's audit records, newest first. */
export const historyQuery = (subject: AuditSubject) =>
  infiniteQueryOptions({
    queryKey: ['security', 'audit', 'history', subject],
    queryFn: ({ pageParam, signal }) =>
      readAuditPage({ subject, pageSize: HISTORY_PAGE_SIZE, token: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    retry: false,
  });
