import { type QueryKey, type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { CursorPage } from '../../api/cursor-page.ts';
import { RequestError } from '../../api/request-error.ts';
import type { Failure } from '../../ui/feedback/failure-panel.tsx';
import { type PageStep, usePagesWalked } from './page-step.ts';
import { nextStep, type PageParams, type ShownPage, sameList, sameParams } from './shown-page.ts';

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
