import { queryOptions } from '@tanstack/react-query';
import type { AuditChainState, AuditPage, AuditRecord } from '../../shared/audit.ts';
import { startOfLast } from '../lib/last-hours.ts';
import type { CursorPage } from './cursor-page.ts';
import { requestDated } from './polled.ts';
import { request } from './request.ts';

/** Filters on the trail, combined with AND. Raw text from the page address; the server validates it. */
export interface AuditFilter {
  action?: string;
  actor?: string;
  subject?: string;
  /** UTC, inclusive; or the last hours, `24h`. */
  from?: string;
  /** UTC, exclusive. */
  to?: string;
  /** `true`: only what changes something. */
  changes?: string;
}

export interface AuditQuestion extends AuditFilter {
  pageSize: number;
  token: string | undefined;
}

export const AUDIT_PAGES_KEY = ['security', 'audit', 'page'] as const;

/** @throws RequestError also for a filter that the server rejects */
export async function readAuditPage(
  { pageSize, token, ...filter }: AuditQuestion,
  signal?: AbortSignal,
): Promise<CursorPage<AuditRecord>> {
  const query = new URLSearchParams({ page_size: String(pageSize) });
  if (token !== undefined) query.set('page_token', token);
  for (const [name, text] of Object.entries(filter)) if (text !== undefined) query.set(name, text);
  // A text that is no time is left to the server.
  if (filter.from !== undefined) query.set('from', startOfLast(filter.from, Date.now()) ?? filter.from);
  const { events, has_more, next_page_token } = await request<AuditPage>(`/api/security/audit?${query}`, { signal });
  return { rows: events, next: (has_more && next_page_token) || undefined };
}

export const auditPageQuery = (question: AuditQuestion) =>
  queryOptions({
    queryKey: [...AUDIT_PAGES_KEY, question],
    queryFn: ({ signal }) => readAuditPage(question, signal),
    retry: false,
  });

const CHECKING_EVERY_MS = 3_000;
const EVERY_MS = 30_000;

export const auditChainQuery = queryOptions({
  queryKey: ['security', 'audit', 'chain'],
  queryFn: ({ signal }) => requestDated<AuditChainState>('/api/security/audit/chain', { signal }),
  refetchInterval: ({ state }) => (state.data?.status === 'checking' ? CHECKING_EVERY_MS : EVERY_MS),
});
