import { useLocation } from '@tanstack/react-router';
import { PAGE_SIZE_DEFAULT } from '../../../shared/identities.ts';

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
