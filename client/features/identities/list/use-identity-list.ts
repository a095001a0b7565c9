import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { IDENTITY_PAGES_KEY, identityPageQuery } from '../../../api/identities.ts';
import { RequestError } from '../../../api/request-error.ts';
import type { Failure } from '../../../ui/failure-panel.tsx';
import { type IdentitiesSearch, type PageStep, pageQuestion } from './list-address.ts';
import { nextStep, type ShownPage } from './shown-page.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The pages walked after the first one. */
    identityPages?: readonly PageStep[];
    /** Where a detail page was opened from. */
    identityList?: { search: IdentitiesSearch; pages: readonly PageStep[] };
  }
}

const route = getRouteApi('/signed-in/identities');
const FIRST_PAGE: readonly PageStep[] = [];

export interface IdentityList {
  /** What stands on the screen: while another page is on its way, or was refused, still the page before. */
  shown: ShownPage | undefined;
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

export function useIdentityList(): IdentityList {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const pages = useLocation({ select: ({ state }) => state.identityPages }) ?? FIRST_PAGE;
  const question = pageQuestion(search, pages);
  const { data, error, isFetching, refetch } = useQuery(identityPageQuery(question));

  const [kept, setKept] = useState<ShownPage>();
  let shown = kept;
  if (data !== undefined && (kept?.page !== data || kept.pages !== pages)) {
    shown = { question, pages, page: data };
    setKept(shown);
  }
  const { identifier, pageSize } = shown?.question ?? question;
  const isSameList = identifier === question.identifier && pageSize === question.pageSize;
  const outdated = error instanceof RequestError && error.code === 'invalid_page_token';
  // Rows that answer another question must not stand beside a failure as if they answered this one.
  if (error !== null && !isSameList) shown = undefined;

  const go = (to: readonly PageStep[]) => void navigate({ search, state: { identityPages: to } });
  const step = nextStep(shown);
  const arrived = shown?.page === data;
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
      queryClient.removeQueries({ queryKey: IDENTITY_PAGES_KEY, type: 'inactive' });
      go(FIRST_PAGE);
    },
  };
}
