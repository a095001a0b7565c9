import { type QueryKey, type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { createContext, use, useEffect, useState } from 'react';
import type { CursorPage } from '../api/cursor-page.ts';
import { RequestError } from '../api/request.ts';
import type { Failure } from '../ui/failure-panel.tsx';
import type { PageCursor, PageParams } from './resource.ts';
import type { Selection } from './selection.ts';

export type CursorList<T, Params extends PageParams> = ReturnType<typeof useCursorList<T, Params>>;

/**
 * A list with cursor pagination. The URL and its history entry name the requested page; if it fails to load, they
 * return to the loaded page.
 * @param params of the current URL and history entry
 * @param result of the query for these params
 * @param pagesKey key prefix of the list's queries
 */
export function useCursorList<T, Params extends PageParams>(
  params: Params,
  result: Pick<UseQueryResult<CursorPage<T>>, 'data' | 'dataUpdatedAt' | 'error' | 'isFetching' | 'refetch'>,
  pagesKey: QueryKey,
) {
  const { data, isFetching, refetch } = result;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const pages = useCursorHistory();

  const [latest, setLatest] = useState<LoadedPage<T, Params>>();
  /** A page that failed to load; the URL has returned to the loaded page. */
  const [failed, setFailed] = useState<{ from: Params; pages: readonly PageCursor[]; error: Error }>();
  const missing = failed && sameParams(failed.from, params) ? failed : undefined;
  let loaded = latest;
  if (data !== undefined && (latest?.page !== data || latest.pages !== pages)) {
    loaded = { params, pages, page: data };
    setLatest(loaded);
    if (failed !== undefined && missing === undefined) setFailed(undefined);
  }
  const error = result.error ?? missing?.error ?? null;
  const code = error instanceof RequestError ? error.code : undefined;
  const outdated = code === 'invalid_page_token';
  const unsupported = code === 'search_not_supported';
  // Hide the rows of the previous search: next to an error, they would look like results.
  if (error !== null && loaded !== undefined && !sameList(loaded.params, params)) loaded = undefined;

  const back = result.error !== null && data === undefined && loaded?.pages !== pages ? loaded : undefined;
  useEffect(() => {
    if (back === undefined || result.error === null) return;
    setFailed({ from: back.params, pages, error: result.error });
    void navigate({ to: '.', search: true, state: { pages: back.pages }, replace: true, resetScroll: false });
  }, [back, pages, result.error, navigate]);

  // Reuses the history entry of a failed page, so that Back visits each page once.
  const go = (to: readonly PageCursor[]) =>
    void navigate({ to: '.', search: true, state: { pages: to }, replace: missing !== undefined });
  const following = nextCursor(loaded);
  const arrived = data !== undefined && loaded?.page === data;
  // If the session has ended, a banner says so, and the rows stay.
  const hasNotice = outdated || unsupported || (loaded !== undefined && code === 'not_authenticated');
  const failure: Failure | undefined = hasNotice ? undefined : (error ?? undefined);
  const empty: LoadedPage<T, Params> = { params, pages: FIRST_PAGE, page: NO_ROWS };
  return {
    /** Of the requested page. */
    params,
    /** The visible page: the previous one while another page loads, or after a failure in the same search. */
    loaded: unsupported ? empty : loaded,
    /** The requested page is loading. */
    pending: isFetching && !arrived,
    /** Any request is running, including a reload of the loaded page. */
    fetching: isFetching,
    /** When the requested page loaded, in milliseconds since the epoch; 0 before that. */
    readAt: result.dataUpdatedAt,
    /** The server rejected the cursor of the requested page: expired, or from another list. */
    outdated,
    /** The service or the index does not support this search. The list is then empty, without an error. */
    unsupported,
    failure,
    /** Undefined without a next page, or before the page loads. */
    next: arrived && following !== undefined ? () => go([...pages, following]) : undefined,
    previous: pages.length > 0 ? () => go(pages.slice(0, -1)) : undefined,
    reload(): void {
      setFailed(undefined);
      void refetch();
    },
    /** Requests the failed page again. */
    retry: () => (missing === undefined ? void refetch() : go(missing.pages)),
    /** Discards all cursors and returns to the first page. */
    startAgain(): void {
      setFailed(undefined);
      // Keep the current page, which would otherwise load again.
      queryClient.removeQueries({ queryKey: pagesKey, type: 'inactive' });
      if (pages.length === 0) void refetch();
      else go([]);
    },
  };
}

const FIRST_PAGE: readonly PageCursor[] = [];
const NO_ROWS: CursorPage<never> = { rows: [], next: undefined };

export const useCursorHistory = (): readonly PageCursor[] =>
  useLocation({ select: ({ state }) => state.pages }) ?? FIRST_PAGE;

/** A loaded page, with the cursors of the pages after the first, up to this one. */
export interface LoadedPage<T, Params extends PageParams> {
  params: Params;
  pages: readonly PageCursor[];
  page: CursorPage<T>;
}

/** The next page's cursor; undefined on the last page, after two empty pages in a row, or if the cursor repeats. */
export function nextCursor(
  loaded: Pick<LoadedPage<unknown, PageParams>, 'page' | 'pages'> | undefined,
): PageCursor | undefined {
  if (loaded === undefined) return undefined;
  const { page, pages } = loaded;
  const token = page.next;
  const before = pages.at(-1)?.before ?? 0;
  const isEnd =
    !page.mayBeEmpty && page.rows.length === 0 && pages.length > 0 && before === (pages.at(-2)?.before ?? 0);
  if (token === undefined || isEnd || pages.some((visited) => visited.token === token)) return undefined;
  return { token, before: before + page.rows.length };
}

const sameParams = (a: PageParams, b: PageParams): boolean => JSON.stringify(a) === JSON.stringify(b);

const sameList = (a: PageParams, b: PageParams): boolean =>
  JSON.stringify({ ...a, token: undefined }) === JSON.stringify({ ...b, token: undefined });

export const ListContext = createContext<unknown>(undefined);
/** Whether what surrounds the first rows may be rendered: see `useAfterRows`. */
export const AfterRows = createContext(true);

/** The list and its selection, for the components of a list page. */
export const useList = <T, Params extends PageParams = PageParams>() =>
  use(ListContext) as CursorList<T, Params> & { selection: Selection<T & { id: string }> };
