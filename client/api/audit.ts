import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AuditChainState, AuditPage, AuditRecord, AuditSubject } from '../../shared/audit.ts';
import { startOfLast } from '../lib/period.ts';
import { CURSOR_PAGES, type CursorPage } from './cursor-page.ts';
import { requestWithClock } from './polling.ts';
import { request, withQuery } from './request.ts';

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

export interface AuditPageParams extends AuditFilter {
  pageSize: number;
  token?: string | undefined;
}

export const AUDIT_PAGES_KEY = ['security', 'audit', 'page'] as const;

/** @throws RequestError also for a filter that the server rejects */
export async function readAuditPage(
  { pageSize, token, ...filter }: AuditPageParams,
  signal?: AbortSignal,
): Promise<CursorPage<AuditRecord>> {
  // A text that is no time is left to the server.
  const from = filter.from && (startOfLast(filter.from, Date.now()) ?? filter.from);
  const path = withQuery('/api/security/audit', { page_size: pageSize, page_token: token, ...filter, from });
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

/** How many records are searched for the change of a state. */
const STATE_RECORDS = 100;

/** The latest record of a write that set the identity's state; null if none of its latest writes did. */
export const stateRecordQuery = (id: string) =>
  queryOptions({
    queryKey: ['security', 'audit', 'state', id],
    queryFn: async ({ signal }) => {
      const { rows } = await readAuditPage(
        { subject: `identity:${id}`, action: 'proxy_write', pageSize: STATE_RECORDS },
        signal,
      );
      return rows.find(({ details }) => details['state'] !== undefined) ?? null;
    },
    retry: false,
  });

/** How many unlocks are searched for a person's: the trail cannot be searched by identifier. */
export const UNLOCKS_READ = 100;

/** The newest unlocks of accounts, anybody's. */
export const unlocksQuery = infiniteQueryOptions({
  queryKey: ['security', 'audit', 'history', 'unlocks'],
  queryFn: async ({ signal }) => ({
    ...(await readAuditPage({ action: 'account_unlock', pageSize: UNLOCKS_READ }, signal)),
    next: undefined,
  }),
  ...CURSOR_PAGES,
});

/** How many ended sessions are looked up in the trail: each is a request of its own. */
export const SESSION_ENDS_READ = 10;
/** Who extended a session and who ended it: there are rarely more. */
const RECORDS_OF_A_SESSION = 10;

/** What operators did to these sessions, at most `SESSION_ENDS_READ` of them. */
export const sessionEndsQuery = (ids: readonly string[]) =>
  infiniteQueryOptions({
    queryKey: ['security', 'audit', 'history', 'sessions', ids],
    async queryFn({ signal }): Promise<CursorPage<AuditRecord>> {
      const pages = ids.slice(0, SESSION_ENDS_READ).map((id) => {
        const subject: AuditSubject = `session:${id.toLowerCase()}`;
        return readAuditPage({ subject, action: 'proxy_write', pageSize: RECORDS_OF_A_SESSION }, signal);
      });
      return { rows: (await Promise.all(pages)).flatMap(({ rows }) => rows), next: undefined };
    },
    ...CURSOR_PAGES,
  });
