import type { FetchQueryOptions } from '@tanstack/react-query';
import type { Capability } from '../../shared/capabilities.ts';
import { PAGE_SIZE_DEFAULT } from '../../shared/identities.ts';
import type { Page } from '../ui/pages.ts';

export interface ResourceName {
  /** In a sentence: "identity". */
  one: string;
  many: string;
  /** In headings: "Identity". */
  title: string;
}

export type Query = Pick<FetchQueryOptions, 'queryKey'>;

export type ParseSearch<Search> = (search: Record<string, unknown>) => Search;

/**
 * Defines the routes and the navigation entry of a resource. Part of the first script, so code for a single page
 * belongs in that page's module.
 */
export interface ResourceDefinition<
  Path extends string = string,
  Search extends PagedSearch = PagedSearch,
  RecordSearch extends object = object,
> extends Page,
    ResourceName {
  to: Path;
  needs: readonly [Capability];
  /** Search parameters of the list, if it has any. */
  search?: ParseSearch<Search>;
  recordSearch?: ParseSearch<RecordSearch>;
  /** Queries that start in parallel with loading the page's code, so they are part of the first script. */
  preload?: {
    list: (params: ParamsOf<Search>) => readonly Query[];
    record: (id: string) => Query | undefined;
    /** Requests the list before the session is known; the server refuses the request if necessary. */
    beforeSession?: true;
  };
}

export const defineResource = <const Path extends string, Search extends PagedSearch, RecordSearch extends object>(
  definition: ResourceDefinition<Path, Search, RecordSearch>,
) => definition;

export const PAGE_SIZES = [25, 50, 100, 250] as const;

/** Search parameters of every list. */
export interface PagedSearch {
  /** Absent for the default. */
  page_size?: number;
  /** Optional columns of a saved view; absent for the operator's own columns. */
  columns?: string;
  /** Filters of the link with invalid values, or `q` for a text that is too long: then nothing is searched. */
  invalid?: string | undefined;
}

/** The cursor of a page. Cursors expire, so they are stored in the history entry instead of the URL. */
export interface PageCursor {
  token: string;
  /** Number of rows on previous pages. */
  before: number;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Cursors of the pages after the first, up to the current page. */
    pages?: readonly PageCursor[];
    /** The list page from which a record was opened, with its scroll position in pixels. */
    fromList?: { search: Record<string, unknown>; pages: readonly PageCursor[]; scrolled: number };
    /** Where to scroll to on return to the list. */
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

export type ParamsOf<Search extends PagedSearch> = Omit<Search, 'page_size' | 'columns' | 'invalid'> & PageParams;

/** Parameters of every list query, besides the resource's own search. */
export interface PageParams {
  pageSize: number;
  /** Cursor from the previous page; undefined for the first page. */
  token: string | undefined;
}

export const pageParams = <Search extends PagedSearch>(
  { page_size, columns: _, invalid: __, ...search }: Search,
  pages: readonly PageCursor[],
): ParamsOf<Search> => ({ ...search, pageSize: page_size ?? PAGE_SIZE_DEFAULT, token: pages.at(-1)?.token });
