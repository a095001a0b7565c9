import { type QueryKey, type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CursorPage } from '../../api/cursor-page.ts';
import { RequestError } from '../../api/request-error.ts';
import type { Failure } from '../../ui/failure-panel.tsx';
import { type PageStep, usePagesWalked } from './page-step.ts';
import { nextStep, type PageQuestion, type ShownPage, sameList } from './shown-page.ts';

export interface CursorList<T, Q extends PageQuestion> {
  /** What stands on the screen: while another page is on its way, or was refused, still the page before. */
  shown: ShownPage<T, Q> | undefined;
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
  /** Asks again for the page in the address. */
  reload(): void;
  /** Forgets every cursor and begins at the first page. */
  startAgain(): void;
}

/**
 * A list walked page by page, on the page that is at the address.
 * @param question the one that address and history entry stand for
 * @param result of the query for it
 * @param pagesKey begins the key of each page's query
 */
export function useCursorList<T, Q extends PageQuestion>(list: {
  question: Q;
  result: Pick<UseQueryResult<CursorPage<T>>, 'data' | 'error' | 'isFetching' | 'refetch'>;
  pagesKey: QueryKey;
}): CursorList<T, Q> {
  const { question, pagesKey } = list;
  const { data, error, isFetching, refetch } = list.result;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const pages = usePagesWalked();

  const [kept, setKept] = useState<ShownPage<T, Q>>();
  let shown = kept;
  if (data !== undefined && (kept?.page !== data || kept.pages !== pages)) {
    shown = { question, pages, page: data };
    setKept(shown);
  }
  const outdated = error instanceof RequestError && error.code === 'invalid_page_token';
  // Rows that answer another question must not stand beside a failure as if they answered this one.
  if (error !== null && shown !== undefined && !sameList(shown.question, question)) shown = undefined;

  const go = (to: readonly PageStep[]) => void navigate({ to: '.', search: true, state: { pages: to } });
  const step = nextStep(shown);
  const arrived = data !== undefined && shown?.page === data;
  return {
    shown,
    pending: isFetching && !arrived,
    fetching: isFetching,
    outdated,
    failure: outdated ? undefined : (error ?? undefined),
    next: arrived && step !== undefined ? () => go([...pages, step]) : undefined,
    previous: pages.length > 0 ? () => go(pages.slice(0, -1)) : undefined,
    reload: () => void refetch(),
    startAgain() {
      // Not the refused page itself, which is still looked at: it would be asked for once more.
      queryClient.removeQueries({ queryKey: pagesKey, type: 'inactive' });
      go([]);
    },
  };
}
