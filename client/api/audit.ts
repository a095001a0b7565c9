import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AuditChainState, AuditPage, AuditRecord, AuditSubject } from '../../shared/audit.ts';
import { relativeTime } from '../lib/period.ts';
import { CURSOR_PAGES, type CursorPage } from './cursor-page.ts';
import { requestWithClock } from './polling.ts';
import { request, withQuery } from './request.ts';

/** Filters of the trail, combined with AND. Raw text from the URL; the server validates it. */
export interface AuditFilter {
  action?: string;
  actor?: string;
  subject?: string;
  /** Inclusive: a time, a date (in UTC), or relative to now: `24h`, `1d`. */
  from?: string;
  /** Like `from`, but exclusive. */
  to?: string;
  /** `true` for changes only. */
  changes?: string;
}

export interface AuditPageParams extends AuditFilter {
  pageSize: number;
  token?: string | undefined;
}

export const AUDIT_PAGES_KEY = ['security', 'audit', 'page'] as const;

/** Replaces relative times. Invalid ones stay, since the server explains what is wrong with them. */
export function resolveTimes<Filter extends AuditFilter>(filter: Filter, now: number): Filter {
  const fixed = { ...filter };
  for (const name of ['from', 'to'] as const) {
    const time = relativeTime(filter[name] ?? '', now);
    if (time !== undefined) fixed[name] = time;
  }
  return fixed;
}

export async function readAuditPage(
  { pageSize, token, ...filter }: AuditPageParams,
  signal?: AbortSignal,
): Promise<CursorPage<AuditRecord>> {
  const parameters = { page_size: pageSize, page_token: token, ...resolveTimes(filter, Date.now()) };
  const path = withQuery('/api/security/audit', parameters);
  const { events, has_more, next_page_token } = await request<AuditPage>(path, { signal });
  return { rows: events, next: (has_more && next_page_token) || undefined };
}

export const auditPageQuery = (params: AuditPageParams) =>
  queryOptions({
    queryKey: [...AUDIT_PAGES_KEY, params],
    queryFn: ({ signal }) => readAuditPage(params, signal),
    retry: false,
  });

const CHECKING_EVERY_MS = 3_000;
const EVERY_MS = 30_000;

export const auditChainQuery = queryOptions({
  queryKey: ['security', 'audit', 'chain'],
  queryFn: ({ signal }) => requestWithClock<AuditChainState>('/api/security/audit/chain', { signal }),
  refetchInterval: ({ state }) => (state.data?.status === 'checking' ? CHECKING_EVERY_MS : EVERY_MS),
});

const HISTORY_PAGE_SIZE = 25;

/** A subject's audit records, newest first. */
export const historyQuery = (subject: AuditSubject) =>
  infiniteQueryOptions({
    queryKey: ['security', 'audit', 'history', subject],
    queryFn: ({ pageParam, signal }) =>
      readAuditPage({ subject, pageSize: HISTORY_PAGE_SIZE, token: pageParam }, signal),
    ...CURSOR_PAGES,
  });
