import { type QueryKey, type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { CursorPage } from '../../api/cursor-page.ts';
import { RequestError } from '../../api/request-error.ts';
import type { Failure } from '../../ui/feedback/failure-panel.tsx';
import { type PageStep, usePagesWalked } from './page-step.ts';
import { nextStep, type PageParams, type ShownPage, sameList, sameParams } from './shown-page.ts';

/** Of the query for a page. */
export type PageResult<T> = Pick<UseQueryResult<CursorPage<T>>, 'data' | 'error' | 'isFetching' | 'refetch'>;

export interface CursorList<T, Params extends PageParams> {
  /** Of the wanted page. */
  params: Params;
  /** What stands on the screen: while another page is on its way, or was refused, still the page before. */
  shown: ShownPage<T, Params> | undefined;
  /** The wanted page is on its way. */
  pending: boolean;
  /** Any request is under way, also for the page that is shown. */
  fetching: boolean;
  /** The wanted page's cursor was refused: it is too old, or of another list. */
  outdated: boolean;
  failure: Failure | undefined;
  /** Undefined where there is no such page (yet). */
  next: (() => void) | undefined;
  previous: (() => void) | undefined;
  /** Asks again for the page that is shown. */
  reload(): void;
  /** Asks again for the page that could not be had. */
  retry(): void;
  /** Forgets every cursor and begins at the first page. */
  startAgain(): void;
}

/** A page that could not be had, after which the one that is shown is again at the address. */
interface Missed<Params> {
  shown: Params;
  pages: readonly PageStep[];
  error: Error;
}

/**
 * A list walked page by page, on the page that is at the address: while another is on its way that one, and the one that
 * is shown again where it does not arrive.
 * @param params the one that address and history entry stand for
 * @param result of the query for it
 * @param pagesKey begins the key of each page's query
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
  // Rows of another search must not stand beside a failure as if they were of this one.
  if (error !== null && shown !== undefined && !sameList(shown.params, params)) shown = undefined;

  const stays = list.result.error !== null && data === undefined && shown?.pages !== pages ? shown : undefined;
  useEffect(() => {
    if (stays === undefined || list.result.error === null) return;
    setMissed({ shown: stays.params, pages, error: list.result.error });
    void navigate({ to: '.', search: true, state: { pages: stays.pages }, replace: true, resetScroll: false });
  }, [stays, pages, list.result.error, navigate]);

  // The entry of a page that did not arrive is the next one's: the way back has each page once.
  const go = (to: readonly PageStep[]) =>
    void navigate({ to: '.', search: true, state: { pages: to }, replace: missed !== undefined });
  const step = nextStep(shown);
  const arrived = data !== undefined && shown?.page === data;
  return {
    params,
    shown,
    pending: isFetching && !arrived,
    fetching: isFetching,
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
      // Not the page at the address: what is still looked at would be asked for once more.
      queryClient.removeQueries({ queryKey: pagesKey, type: 'inactive' });
      if (pages.length === 0) void refetch();
      else go([]);
    },
  };
}

/** The notice on the page says so, beside rows that stay. */
const isSignedOut = (error: Error | null): boolean =>
  error instanceof RequestError && error.code === 'not_authenticated';
