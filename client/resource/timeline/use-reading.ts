import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { timeOf } from '../../../shared/json.ts';
import type { CursorPage } from '../../api/cursor-page.ts';
import { RequestError } from '../../api/request-error.ts';
import { EVERYTHING, NOTHING } from './merge-lines.ts';

/** One source of a timeline, read page by page. */
export interface Reading<Page> {
  pages: readonly Page[];
  /** Nothing has arrived yet, and nothing has failed. */
  isFirst: boolean;
  isBusy: boolean;
  hasMore: boolean;
  /** Of the last attempt, also while another one is under way. */
  error: Error | null;
  readOn(): Promise<unknown>;
  retry(): Promise<unknown>;
}

type PagesQuery<Page, Key extends QueryKey, Cursor> = UseInfiniteQueryOptions<
  Page,
  Error,
  InfiniteData<Page>,
  Key,
  Cursor
>;

/**
 * @param enabled false for a source that there is no need, or no permission, to ask: it has no pages
 * @param staleTime how old an answer may be; whoever comes from another tab may have just done what is to be shown
 */
export function useReading<Page, Key extends QueryKey, Cursor>(
  query: PagesQuery<Page, Key, Cursor>,
  enabled = true,
  staleTime = 0,
): Reading<Page> {
  const { data, error, isFetching, hasNextPage, fetchNextPage, isFetchNextPageError, refetch, errorUpdateCount } =
    useInfiniteQuery({
      ...query,
      enabled,
      staleTime,
    });
  const hasFailed = data === undefined && errorUpdateCount > 0;
  return {
    pages: data?.pages ?? [],
    isFirst: enabled && data === undefined && !hasFailed,
    isBusy: isFetching,
    hasMore: hasNextPage,
    error: enabled ? (error ?? (hasFailed ? new Error('It is being read again.') : null)) : null,
    readOn: () => fetchNextPage(),
    // A refused cursor stays refused: only new ones help.
    retry: () => (isFetchNextPageError && !isRefusedCursor(error) ? fetchNextPage() : refetch()),
  };
}

const isRefusedCursor = (error: Error | null): boolean =>
  error instanceof RequestError && error.code === 'invalid_page_token';

/**
 * How far back a source with pages from new to old has been read. One that failed holds up no other: it is named instead.
 * @param oldest the time of a page's last row, ISO 8601
 */
export function readBackTo<Page>(reading: Reading<Page>, oldest: (page: Page) => string | undefined): number {
  const last = reading.pages.at(-1);
  if (reading.isFirst) return NOTHING;
  if (last === undefined || !reading.hasMore || reading.error !== null) return EVERYTHING;
  return timeOf(oldest(last)) || EVERYTHING;
}

/** The same for a source that is asked once, whatever the order of its answer. */
export const readWhole = ({ isFirst }: Reading<unknown>): number => (isFirst ? NOTHING : EVERYTHING);

export const rowsOf = <Row>({ pages }: Reading<CursorPage<Row>>): Row[] => pages.flatMap(({ rows }) => rows);
