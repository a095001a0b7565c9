import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { SignInCoverage, SignInEvent, SignInPage, SignInSummary } from '../../shared/sign-ins.ts';
import { resolveTimes } from './audit.ts';
import { CURSOR_PAGES, type CursorPage } from './cursor-page.ts';
import { refreshEvery, requestWithClock } from './polling.ts';
import { request, withQuery } from './request.ts';

const PATH = '/api/security/sign-ins';
const EVERY_MS = 30_000;

export const SIGN_IN_FILTERS = [
  'outcome',
  'reason',
  'method',
  'service',
  'ip',
  'country',
  'identity_id',
  'client_id',
  'from',
  'to',
] as const;

/** `from` and `to` may be relative to now, such as `24h`. A search by `ip` leaves an audit record. */
export type SignInFilter = Partial<Record<(typeof SIGN_IN_FILTERS)[number], string>>;

export interface SignInPageParams extends SignInFilter {
  pageSize: number;
  token?: string | undefined;
}

export const SIGN_IN_PAGES_KEY = ['security', 'sign-ins', 'page'] as const;

export async function readSignInsPage(
  { pageSize, token, ...filter }: SignInPageParams,
  signal?: AbortSignal,
): Promise<CursorPage<SignInEvent>> {
  const parameters = { page_size: pageSize, page_token: token, ...resolveTimes(filter, Date.now()) };
  const { events, has_more, next_page_token } = await request<SignInPage>(withQuery(PATH, parameters), { signal });
  return { rows: events, next: (has_more && next_page_token) || undefined, mayBeEmpty: true };
}

export const signInsPageQuery = (params: SignInPageParams) =>
  queryOptions({
    queryKey: [...SIGN_IN_PAGES_KEY, params],
    queryFn: ({ signal }) => readSignInsPage(params, signal),
    retry: false,
  });

/** What the log has of a person, newest first. */
export const signInsOfQuery = (identity_id: string) =>
  infiniteQueryOptions({
    queryKey: [...SIGN_IN_PAGES_KEY, 'of', identity_id],
    queryFn: ({ pageParam, signal }) => readSignInsPage({ identity_id, pageSize: 100, token: pageParam }, signal),
    ...CURSOR_PAGES,
  });

export const signInCoverageQuery = queryOptions({
  queryKey: ['security', 'sign-ins', 'coverage'],
  queryFn: ({ signal }) => requestWithClock<SignInCoverage>(`${PATH}/coverage`, { signal }),
  refetchInterval: refreshEvery(EVERY_MS),
});

export const signInSummaryQuery = (timeZone: string) =>
  queryOptions({
    queryKey: ['security', 'sign-ins', 'summary', timeZone],
    queryFn: ({ signal }) => request<SignInSummary>(withQuery(`${PATH}/summary`, { time_zone: timeZone }), { signal }),
    refetchInterval: refreshEvery(2 * EVERY_MS),
  });
