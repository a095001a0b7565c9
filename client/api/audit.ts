import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AuditChainState, AuditPage, AuditRecord, AuditSubject } from '../../shared/audit.ts';
import { relativeTime } from '../lib/period.ts';
import { CURSOR_PAGES, type CursorPage, onePageQuery } from './cursor-page.ts';
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
  const path = withQuery('/api/security/audit', {
    page_size: pageSize,
    page_token: token,
    ...resolveTimes(filter, Date.now()),
  });
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

/** Whether a record is that of a successful request to activate or deactivate an identity. */
export const changedState = ({ action, details: { method, status, state } }: AuditRecord): boolean =>
  action === 'proxy_write' &&
  (method === 'PATCH' || method === 'PUT') &&
  (state === 'active' || state === 'inactive') &&
  typeof status === 'number' &&
  status < 300;

/** How many records to search for the latest change of state. */
const STATE_RECORDS = 100;

/** The newest record of a change of the identity's state, if it is among the latest writes; otherwise null. */
export const stateRecordQuery = (id: string) =>
  queryOptions({
    queryKey: ['security', 'audit', 'state', id],
    queryFn: async ({ signal }) => {
      const { rows } = await readAuditPage(
        { subject: `identity:${id}`, action: 'proxy_write', pageSize: STATE_RECORDS },
        signal,
      );
      return rows.find(changedState) ?? null;
    },
    retry: false,
  });

/** How many unlocks to search for those of an identity: the trail cannot be searched by identifier. */
export const UNLOCKS_READ = 100;

export const unlocksQuery = onePageQuery(
  ['security', 'audit', 'history', 'unlocks'],
  async (signal) => (await readAuditPage({ action: 'account_unlock', pageSize: UNLOCKS_READ }, signal)).rows,
);

/** How many ended sessions to look up in the trail, with a request for each. */
export const SESSION_ENDS_READ = 10;
/** A session rarely has more than a few extensions and one end. */
const RECORDS_OF_A_SESSION = 10;

/** Records of what operators did to these sessions; only the first `SESSION_ENDS_READ` sessions count. */
export const sessionEndsQuery = (ids: readonly string[]) =>
  onePageQuery(['security', 'audit', 'history', 'sessions', ids], async (signal) => {
    const pages = ids.slice(0, SESSION_ENDS_READ).map((id) => {
      const subject: AuditSubject = `session:${id.toLowerCase()}`;
      return readAuditPage({ subject, action: 'proxy_write', pageSize: RECORDS_OF_A_SESSION }, signal);
    });
    return (await Promise.all(pages)).flatMap(({ rows }) => rows);
  });
