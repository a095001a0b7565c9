import { useLocation } from '@tanstack/react-router';
import { PAGE_SIZE_DEFAULT } from '../../../shared/identities.ts';

export const PAGE_SIZES = [25, 50, 100, 250] as const;

/** What a link to a list carries beside the search of its resource. */
export interface PagedSearch {
  /** Absent for the default. */
  page_size?: number;
}

/** The page within the list: cursors are of this browser's walk and stand in the history entry, not in the link. */
export interface PageStep {
  /** The cursor of the page. */
  token: string;
  /** Rows on the pages before it. */
  before: number;
}

/** A page of a list that a detail page was opened from. */
export interface ListPosition {
  search: Record<string, unknown>;
  pages: readonly PageStep[];
  /** How far it was scrolled, in pixels. */
  scrolled: number;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The pages of a list walked after the first one. */
    pages?: readonly PageStep[];
    /** Where a detail page was opened from. */
    fromList?: ListPosition;
    /** Where a list is to be scrolled to: it is come back to. */
    scrolled?: number;
  }
}

export function pagedSearch({ page_size }: Record<string, unknown>): PagedSearch {
  const size = PAGE_SIZES.find((allowed) => String(allowed) === page_size || allowed === page_size);
  return size === undefined || size === PAGE_SIZE_DEFAULT ? {} : { page_size: size };
}

/** What a page of a list is asked by: what is searched for, how many rows, after which cursor. */
export type ParamsOf<Search extends PagedSearch> = Omit<Search, 'page_size'> & {
  pageSize: number;
  /** The cursor that the page before named; undefined for the first page. */
  token: string | undefined;
};

/** The page that an address and a history entry stand for. */
export const pageParams = <Search extends PagedSearch>(
  { page_size, ...search }: Search,
  pages: readonly PageStep[],
): ParamsOf<Search> => ({ ...search, pageSize: page_size ?? PAGE_SIZE_DEFAULT, token: pages.at(-1)?.token });

const FIRST_PAGE: readonly PageStep[] = [];

/** The walk that the history entry stands for. */
export const usePagesWalked = (): readonly PageStep[] =>
  useLocation({ select: ({ state }) => state.pages }) ?? FIRST_PAGE;
