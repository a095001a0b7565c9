import { type QueryKey, type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useState } from 'react';
import { PAGE_SIZE_DEFAULT } from '../../shared/identities.ts';
import type { CursorPage } from '../api/cursor-page.ts';
import { RequestError } from '../api/request.ts';
import type { Failure } from '../ui/failure-panel.tsx';

export type PageResult<T> = Pick<
  UseQueryResult<CursorPage<T>>,
  'data' | 'dataUpdatedAt' | 'error' | 'isFetching' | 'refetch'
>;

export interface CursorList<T, Params extends PageParams> {
  /** Of the requested page. */
  params: Params;
  /** The page on screen: while another is loading or after it failed, still the previous one. */
  shown: ShownPage<T, Params> | undefined;
  /** The requested page is loading. */
  pending: boolean;
  /** Any request is running, including a reload of the shown page. */
  fetching: boolean;
  /** When the requested page was read, in milliseconds since the epoch; 0 while it has not been. */
  readAt: number;
  /** The requested page's cursor was rejected: it has expired or belongs to another list. */
  outdated: boolean;
  failure: Failure | undefined;
  /** Undefined if there is no such page (yet). */
  next: (() => void) | undefined;
  previous: (() => void) | undefined;
  /** Reloads the shown page. */
  reload(): void;
  /** Requests the failed page again. */
  retry(): void;
  /** Discards all cursors and goes to the first page. */
  startAgain(): void;
}

/** A page that failed to load, after which the URL is again that of the shown page. */
interface Missed<Params> {
  shown: Params;
  pages: readonly PageStep[];
  error: Error;
}

/**
 * A list that is read page by page. The URL is that of the requested page; if that fails to load, it returns to the one
 * shown.
 * @param params of the current URL and history entry
 * @param result of the query for these
 * @param pagesKey key prefix of every page's query
 */
export function useCursorList<T, Params extends PageParams>(list: {
  params: Params;
  result: PageResult<T>;
  pagesKey: QueryKey;
}): CursorList<T, Params> {
  const { params, pagesKey } = list;
  const { data, isFetching, refetch } = list.result;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const pages = usePagesWalked();

  const [kept, setKept] = useState<ShownPage<T, Params>>();
  const [latestMissed, setMissed] = useState<Missed<Params>>();
  const missed = latestMissed && sameParams(latestMissed.shown, params) ? latestMissed : undefined;
  let shown = kept;
  if (data !== undefined && (kept?.page !== data || kept.pages !== pages)) {
    shown = { params, pages, page: data };
    setKept(shown);
    if (latestMissed !== undefined && missed === undefined) setMissed(undefined);
  }
  const error = list.result.error ?? missed?.error ?? null;
  const outdated = error instanceof RequestError && error.code === 'invalid_page_token';
  // Rows of another search next to a failure would look like results of this one.
  if (error !== null && shown !== undefined && !sameList(shown.params, params)) shown = undefined;

  const stays = list.result.error !== null && data === undefined && shown?.pages !== pages ? shown : undefined;
  useEffect(() => {
    if (stays === undefined || list.result.error === null) return;
    setMissed({ shown: stays.params, pages, error: list.result.error });
    void navigate({ to: '.', search: true, state: { pages: stays.pages }, replace: true, resetScroll: false });
  }, [stays, pages, list.result.error, navigate]);

  // Reuses the history entry of a failed page, so that going back visits each page once.
  const go = (to: readonly PageStep[]) =>
    void navigate({ to: '.', search: true, state: { pages: to }, replace: missed !== undefined });
  const step = nextStep(shown);
  const arrived = data !== undefined && shown?.page === data;
  return {
    params,
    shown,
    pending: isFetching && !arrived,
    fetching: isFetching,
    readAt: list.result.dataUpdatedAt,
    outdated,
    failure: outdated || (shown !== undefined && isSignedOut(error)) ? undefined : (error ?? undefined),
    next: arrived && step !== undefined ? () => go([...pages, step]) : undefined,
    previous: pages.length > 0 ? () => go(pages.slice(0, -1)) : undefined,
    reload() {
      setMissed(undefined);
      void refetch();
    },
    retry: () => (missed === undefined ? void refetch() : go(missed.pages)),
    startAgain() {
      setMissed(undefined);
      // Not the current page, which would be requested once more.
      queryClient.removeQueries({ queryKey: pagesKey, type: 'inactive' });
      if (pages.length === 0) void refetch();
      else go([]);
    },
  };
}

/** A banner says so, while the rows stay. */
const isSignedOut = (error: Error | null): boolean =>
  error instanceof RequestError && error.code === 'not_authenticated';

export const PAGE_SIZES = [25, 50, 100, 250] as const;

/** Search parameters that every list has. */
export interface PagedSearch {
  /** Absent for the default. */
  page_size?: number;
  /** The optional columns of a view, by name; absent for the operator's own choice. */
  columns?: string;
}

/** A page of a list. Cursors expire, so they are kept in the history entry, not in the URL. */
export interface PageStep {
  token: string;
  /** Rows on the pages before it. */
  before: number;
}

/** The page of a list from which a record was opened. */
export interface ListPosition {
  search: Record<string, unknown>;
  pages: readonly PageStep[];
  /** Scroll position in pixels. */
  scrolled: number;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Pages visited after the first, up to the current one. */
    pages?: readonly PageStep[];
    /** Where a record was opened from. */
    fromList?: ListPosition;
    /** Where to scroll a list to on return to it. */
    scrolled?: number;
  }
}

export function pagedSearch({ page_size, columns }: Record<string, unknown>): PagedSearch {
  const size = PAGE_SIZES.find((allowed) => String(allowed) === page_size || allowed === page_size);
  return {
    ...(size !== undefined && size !== PAGE_SIZE_DEFAULT && { page_size: size }),
    ...(typeof columns === 'string' && { columns }),
  };
}

/** Parameters of a list page's query: search, size, cursor. */
export type ParamsOf<Search extends PagedSearch> = Omit<Search, 'page_size' | 'columns'> & {
  pageSize: number;
  /** Cursor from the previous page; undefined for the first page. */
  token: string | undefined;
};

/** Query parameters for a URL and its history entry. */
export const pageParams = <Search extends PagedSearch>(
  { page_size, columns: _, ...search }: Search,
  pages: readonly PageStep[],
): ParamsOf<Search> => ({ ...search, pageSize: page_size ?? PAGE_SIZE_DEFAULT, token: pages.at(-1)?.token });

const FIRST_PAGE: readonly PageStep[] = [];

export const usePagesWalked = (): readonly PageStep[] =>
  useLocation({ select: ({ state }) => state.pages }) ?? FIRST_PAGE;

/** Parameters of a list page's query, besides those that the resource searches by. */
export interface PageParams {
  pageSize: number;
  /** Cursor from the previous page; undefined for the first page. */
  token: string | undefined;
}

/** A page that has loaded, with the pages visited before it. */
export interface ShownPage<T, Params extends PageParams> {
  params: Params;
  pages: readonly PageStep[];
  page: CursorPage<T>;
}

/** The next page. A cursor that was already visited would lead in circles. */
export function nextStep(
  shown: Pick<ShownPage<unknown, PageParams>, 'page' | 'pages'> | undefined,
): PageStep | undefined {
  if (shown === undefined) return undefined;
  const { page, pages } = shown;
  const token = page.next;
  if (token === undefined || pages.some((walked) => walked.token === token)) return undefined;
  return { token, before: (pages.at(-1)?.before ?? 0) + page.rows.length };
}

export const sameParams = (a: PageParams, b: PageParams): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Whether both are pages of the same list. */
export const sameList = (a: PageParams, b: PageParams): boolean =>
  JSON.stringify({ ...a, token: undefined }) === JSON.stringify({ ...b, token: undefined });

/** Turns the refusal of a search that a service or the index does not support into an empty result: it is no failure. */
export function orRefused<T, Params extends PageParams>(
  list: CursorList<T, Params>,
): { list: CursorList<T, Params>; refused: boolean } {
  if (list.failure?.code !== 'search_not_supported') return { list, refused: false };
  return {
    list: {
      ...list,
      failure: undefined,
      shown: { params: list.params, pages: [], page: { rows: [], next: undefined } },
    },
    refused: true,
  };
}

/** Restores the scroll position when returning to a list from a record. @returns whether there is one */
export function useScrolledBack(): boolean {
  const scrolled = useLocation({ select: ({ state }) => state.scrolled });
  useLayoutEffect(() => {
    if (scrolled !== undefined) scrollTo({ top: scrolled });
  }, [scrolled]);
  return scrolled !== undefined;
}
